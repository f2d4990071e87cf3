import ArgumentParser
import Foundation
import FundClient
import Terminal

struct MailCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Read filed mail, and download its files.",
        subcommands: [MailListCommand.self, MailShowCommand.self, MailGetCommand.self])
}

struct MailListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List mail, the latest first.",
        discussion: """
            Examples:
              fund mail list
              fund mail list Fund1 --sender bob@ --limit 20
            """)

    @Argument(help: "Only mail of this fund.")
    var fund: String?

    @Option(help: ArgumentHelp("Only mail of senders whose address contains this.", valueName: "part"))
    var sender: String?

    @Option(help: ArgumentHelp("The number of mails at most.", valueName: "count"))
    var limit = 50

    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        guard limit >= 1 else { throw ValidationError("--limit must be 1 or more.") }
    }

    func run() async throws {
        try await globals.withSession { session in
            var filter = EmailFilter(sender: sender)
            filter.fund = try await session.existingFund(ifNamed: fund)
            let emails = try await Page.first(limit) { [filter] in
                try await session.emails(filter, after: $0, limit: $1)
            }
            try Listing(
                items: emails, ifEmpty: "There is no mail.",
                columns: [.number("ID"), "RECEIVED", .shrinking("FROM"), .shrinking("SUBJECT"), .number("FILES")]
            ) { email in
                [
                    "\(email.id)", WrittenTime.local(email.receivedAt), email.from ?? "", email.subject ?? "",
                    email.attachmentCount > 0 ? "\(email.attachmentCount)" : "",
                ]
            }.write(json: globals.json)
        }
    }
}

struct MailShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Show a mail with its text and the names of its files.",
        discussion: """
            Example:
              fund mail show 9
            """)

    @Argument(help: "The number that `fund mail list` shows.")
    var id: Int64

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let email = try await session.email(EmailID(id))
            if globals.json { return try JSONLine.write(email) }
            try Console.line("From:     \(email.from ?? "")")
            try Console.line("Subject:  \(email.subject ?? "")")
            try Console.line("Date:     \(WrittenTime.local(email.sentAt ?? email.receivedAt))")
            for attachment in email.attachments where !attachment.isInline {
                try Console.line("File:     \(attachment.name), \(Quantity.display(bytes: attachment.size))")
            }
            let text =
                email.text
                ?? (email.html == nil ? "" : "(This mail has no plain text; `fund mail get --raw` loads all of it.)")
            try Console.write(Array(("\n" + TerminalText.cleanLines(text) + "\n").utf8))
        }
    }
}

struct MailGetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "get", abstract: "Download the files of a mail, or the mail as it came.",
        discussion: """
            Examples:
              fund mail get 9 --to ~/Downloads
              fund mail get 9 --raw
            """)

    @Argument(help: "The number that `fund mail list` shows.")
    var id: Int64

    @Option(name: .customLong("to"), help: ArgumentHelp("The folder to put them in.", valueName: "dir"))
    var target = "."

    @Flag(help: "The message as it came (RFC 5322), as ID.eml.")
    var raw = false

    @Flag(help: "Pictures that the body shows, too.")
    var inline = false

    @OptionGroup var options: TransferOptions
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let email = try await session.email(EmailID(id))
            try TargetFolder.make(target)
            let downloads = try raw ? [message(email)] : files(email)
            guard !downloads.isEmpty else { return try globals.say("The mail has no files.") }
            let transfers = CommandTransfers(session: session, globals: globals, options: options)
            if let failure = try await transfers.run(downloads, "Loaded") { throw ExitCode(failure.status.rawValue) }
        }
    }

    private func message(_ email: Email) -> FileDownload {
        let name = "\(email.id).eml"
        return FileDownload(
            source: .email(email.id), name: name, size: 0, digest: nil, date: email.receivedAt,
            path: (target as NSString).appendingPathComponent(name), replaces: options.replace)
    }

    /// Equal names are numbered, as in a zip file of the server.
    private func files(_ email: Email) throws -> [FileDownload] {
        var taken: Set<String> = []
        return try email.attachments.filter { inline || !$0.isInline }.map { attachment in
            let name = try LocalName.free(attachment.name, among: &taken)
            return FileDownload(
                source: .attachment(attachment.id), name: attachment.name, size: attachment.size,
                digest: attachment.digest, date: email.receivedAt,
                path: (target as NSString).appendingPathComponent(name), replaces: options.replace)
        }
    }
}

extension LocalName {
    /// `q3.pdf`, and `q3(1).pdf` when that is taken.
    fileprivate static func free(_ name: String, among taken: inout Set<String>) throws -> String {
        let checked = try check(name.replacing("/", with: "_"))
        var (free, number) = (checked, 0)
        while !taken.insert(free).inserted {
            number += 1
            free = NumberedName.name(checked, number: number)
        }
        return free
    }
}
