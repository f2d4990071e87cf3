import ArgumentParser
import FundClient
import Terminal

struct DriveCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drive", abstract: "Use your cloud stores beside your funds.",
        discussion: """
            A place in a drive is DRIVE:PATH, with the name that you gave the drive: `Cloud:Reports/q3.pdf`. `Cloud:` \
            is its top. What is taken into a fund, or copied to a drive, is on its way on the server: it goes on when \
            this machine is off.
            """,
        subcommands: [
            DriveListCommand.self, DriveAddCommand.self, DriveSignInCommand.self, DriveForgetCommand.self,
            DriveEntriesCommand.self,
            DriveFindCommand.self, DrivePullCommand.self, DrivePushCommand.self, DriveFolderCommand.self,
            DriveMoveCommand.self, DriveRemoveCommand.self, DriveTransfersCommand.self, DriveCancelCommand.self,
            DriveRetryCommand.self, DriveWatchCommand.self,
        ])
}

struct DriveListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your drives, or the kinds of stores that can be added.",
        discussion: """
            Examples:
              fund drive list --space
              fund drive list --kinds
            """)

    @Flag(help: "Ask each store for its room.")
    var space = false

    @Flag(help: "List the kinds of stores, and what they ask for.")
    var kinds = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            if kinds { return try write(try await session.driveKinds()) }
            var lines: [DriveLine] = []
            for drive in try await session.drives() {
                // A store that does not answer is no reason to show nothing of the others.
                let room = space ? try? await session.space(of: drive.id) : nil
                lines.append(DriveLine(drive: drive, space: room))
            }
            try Listing(
                items: lines, ifEmpty: "There are no drives. Add one with `fund drive add`.",
                columns: [
                    .number("ID"), .shrinking("NAME"), "KIND", .shrinking("HOST"), .shrinking("ACCOUNT"),
                    .number("USED"), .number("FREE"),
                    .shrinking("STATE"),
                ]
            ) { line in
                [
                    "\(line.drive.id)", line.drive.name, line.drive.kind, line.drive.host, line.drive.account ?? "",
                    line.space?.used.map(Quantity.display(bytes:)) ?? "",
                    line.space?.free.map(Quantity.display(bytes:)) ?? "", line.drive.detail ?? "",
                ]
            }.write(json: globals.json)
        }
    }

    private func write(_ kinds: [DriveKind]) throws {
        try Listing(
            items: kinds, ifEmpty: "The administrators allow no kind of store.",
            columns: ["KIND", "STORE", .shrinking("SETTINGS")]
        ) { kind in
            let fields = kind.fields.map { field in field.isRequired ? field.name : "[\(field.name)]" }
            return [kind.kind, kind.title, fields.joined(separator: " ")]
        }.write(json: globals.json)
    }
}

/// A drive in a list.
private struct DriveLine: Encodable {
    var drive: Drive
    var space: DriveSpace?
}

struct DriveAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a drive. The server asks its store before it keeps the drive.",
        discussion: """
            `fund drive list --kinds` names the settings of each kind. Secrets are asked for at the terminal without \
            showing what is typed; elsewhere --secret-file gives a file with one secret a line, or standard input \
            does. They never stand in the command. To a store with a page of its own, such as Box, you sign in there: \
            the command prints its address, and asks for the code that the page shows at the end.

            Examples:
              fund drive add Box box
              fund drive add Cloud webdav url=https://cloud.example.com/dav user=ann
              fund drive add Backup b2 bucket=reports account=0012 --secret-file key.txt
            """)

    @Argument(help: "The name by which you want to call it.")
    var name: String

    @Argument(help: "The kind of store, as `fund drive list --kinds` shows it.")
    var kind: String

    @Argument(help: "Settings that are no secrets.")
    var settings: [String] = []

    @Option(help: ArgumentHelp("A file with the secrets, one a line.", valueName: "file"))
    var secretFile: String?

    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try pairs() }

    private func pairs() throws -> [String: String] {
        var pairs: [String: String] = [:]
        for word in settings {
            guard let sign = word.firstIndex(of: "="), sign != word.startIndex else {
                throw ValidationError("“\(word)” is no setting: write NAME=VALUE.")
            }
            pairs[String(word[..<sign])] = String(word[word.index(after: sign)...])
        }
        return pairs
    }

    func run() async throws {
        var pairs = try pairs()
        try await globals.withSession { session in
            guard let kind = try await session.driveKinds().first(where: { $0.kind == kind }) else {
                throw CommandError(
                    .refused, "There is no kind \(kind) here. See `fund drive list --kinds`.")
            }
            if kind.usesOauth {
                let signIn = try await session.beginSignIn(name, kind: kind.kind)
                let drive = try await DriveSignInDialog.finish(signIn, session)
                if globals.json { return try JSONLine.write(drive) }
                return try globals.say("The drive \(drive.name) is added: \(drive.host).")
            }
            let secrets = kind.fields.filter { $0.form == "secret" }
            if let given = secrets.first(where: { pairs[$0.name] != nil }) {
                throw CommandError(
                    .usage,
                    "\(given.name) is a secret, which others on this machine can see in a command: leave it out.")
            }
            let values = try SecretInput.secrets(secrets.filter(\.isRequired).map(\.name), file: secretFile)
            pairs.merge(values) { _, secret in secret }
            let drive = try await session.addDrive(name, kind: kind.kind, settings: pairs)
            if globals.json { return try JSONLine.write(drive) }
            try globals.say("The drive \(drive.name) is added: \(drive.host).")
        }
    }
}

struct DriveForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Remove a drive from your list. What its store has stays there.",
        discussion: """
            Example:
              fund drive forget Cloud
            """)

    @Argument(help: "The name or the number of the drive.")
    var drive: String

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        try await globals.withSession { session in
            let found = try await session.existingDrive(drive)
            try await session.removeDrive(found.id)
            try globals.say("The drive \(found.name) is forgotten.")
        }
    }
}
