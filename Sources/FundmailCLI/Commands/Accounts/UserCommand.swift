import ArgumentParser
import FundCore
import FundStore
import Terminal

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "People who may file mail.",
        subcommands: [
            Add.self, List.self, Change.self, Disable.self, Enable.self, UserImportCommand.self,
            UserAddressCommand.self, UserPasswdCommand.self, UserQuotaCommand.self, UserTokenCommand.self,
            UserFactorCommand.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Register a person.",
            discussion: """
                Mail from EMAIL and from each --address is theirs; ann+anything@example.com counts as ann@example.com.

                Example:
                  fundmail user add ann@example.com --name "Ann Archer" --address ann@home.example
                """)

        @Argument(help: ArgumentHelp("The address that names the user.", valueName: "email"))
        var email: String
        @Option(help: "The person's name, for display.")
        var name: String?
        @Flag(help: "Make the person an administrator, who sees misrouted mail.")
        var admin = false
        @Option(help: "One more address of the person; may be repeated.")
        var address: [String] = []
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.addUser(
                email: email, name: name, isAdministrator: admin, addresses: address, actor: Workspace.actor)
            try Console.line("Added \(TerminalText.clean(user.email)).")
            try store.close()
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show all users with their addresses.",
            discussion: "Example:\n  fundmail user list --json")

        @Flag(help: "Print one JSON object a user.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let administration = try Workspace(globals).openStore(.readOnly).administration
            let users = try await administration.users()
            let limits = administration.storageLimits
            try Listing(
                items: users, ifEmpty: "No users yet; `fundmail user add EMAIL` adds one.",
                columns: [
                    .shrinking("USER"), .shrinking("NAME"), .number("FUNDS"), .number("USED"), .number("LIMIT"),
                    "STATUS", .shrinking("OTHER ADDRESSES"),
                ],
                row: { record in
                    let user = record.user
                    let status =
                        (user.isDisabled ? ["disabled"] : []) + (user.isAdministrator ? ["admin"] : [])
                        + (user.news == .off ? [] : ["news \(user.news.rawValue)"])
                        + (user.hasDeskDigest ? ["desk digest"] : [])
                    return [
                        user.email, user.name ?? "", "\(record.fundCount)",
                        Quantity.display(bytes: record.usedBytes),
                        record.quota.limit(limits).map { Quantity.display(bytes: $0) } ?? "none",
                        status.joined(separator: ", "),
                        record.addresses.dropFirst().joined(separator: ", "),
                    ]
                },
                fields: { line, record in
                    line.field("email", record.user.email)
                    line.field("name", record.user.name)
                    line.field("admin", record.user.isAdministrator)
                    line.field("disabled", record.user.isDisabled)
                    line.field("addresses", record.addresses)
                    line.field("answered_addresses", record.answeredAddresses)
                    line.field("receipts", record.user.receipts?.rawValue ?? ReceiptOption.mailbox.rawValue)
                    line.field("news", record.user.news.rawValue)
                    line.field("desk_digest", record.user.hasDeskDigest)
                    line.field("language", record.user.language?.rawValue)
                    line.field("funds", record.fundCount)
                    line.field("used_bytes", record.usedBytes)
                    line.field("quota", record.quota.word)
                    line.field("quota_bytes", record.quota.limit(limits))
                }
            ).write(json: json)
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Stop filing mail of a user; nothing is removed.",
            discussion: "Example:\n  fundmail user disable ann@example.com")

        @OptionGroup var choice: UserChoice
        @OptionGroup var globals: GlobalOptions

        func run() async throws { try await UserCommand.setDisabled(true, choice, globals) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "File mail of a disabled user again.",
            discussion: """
                Mail that came in between is in `fundmail report misrouted`; `fundmail misrouted retry` files it.

                Example:
                  fundmail user enable ann@example.com
                """)

        @OptionGroup var choice: UserChoice
        @OptionGroup var globals: GlobalOptions

        func run() async throws { try await UserCommand.setDisabled(false, choice, globals) }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change", abstract: "Change the name, the role or the letters of a user.",
            discussion: """
                Digests go to the address that names the user: --news tells what is new in their funds, --desk-digest \
                an administrator once a day what waits at the desk. None goes out when there is nothing to tell.

                Examples:
                  fundmail user change ann@example.com --name "Ann Archer" --admin
                  fundmail user change ann@example.com --receipts problems --news daily
                  fundmail user change root@example.com --desk-digest on
                """)

        @OptionGroup var choice: UserChoice
        @Option(help: "The person's name, for display; an empty one removes it.")
        var name: String?
        @Flag(inversion: .prefixedNo, help: "Make the person an administrator, who sees misrouted mail.")
        var admin: Bool?
        @Option(help: "Mail about which a letter tells the person; mailbox: what the mailbox has.")
        var receipts: ReceiptOption?
        @Option(help: "When a letter tells the person what is new in their funds.")
        var news: NewsPace?
        @Option(help: "Whether a daily letter tells the administrator what waits at the desk.")
        var deskDigest: OnOffOption?
        @Option(help: "The language of these letters; else that of what they tell.")
        var language: PersonLanguage?
        @OptionGroup var globals: GlobalOptions

        private var digests: DigestChange? {
            let change = DigestChange(news: news, desk: deskDigest.map { $0 == .on }, language: language)
            return change.isEmpty ? nil : change
        }

        func validate() throws {
            if name == nil && admin == nil && receipts == nil && digests == nil {
                throw ValidationError(
                    "Say what: --name, --admin, --no-admin, --receipts, --news, --desk-digest or --language.")
            }
        }

        func run() async throws {
            let workspace = try Workspace(globals)
            let store = try workspace.openStore()
            let user = try await store.administration.changeUser(
                try await choice.user(in: store).id,
                UserChange(name: name, isAdministrator: admin, receipts: receipts?.setting, digests: digests),
                actor: Workspace.actor
            ).user
            let role = user.isAdministrator ? "an administrator" : "no administrator"
            let shown = user.name.map { "\($0), " } ?? ""
            let words = [receipts?.words, news?.words, deskDigest?.deskWords].compactMap(\.self).joined()
            try Console.line("\(user.email) is \(shown)\(role)\(words).")
            if digests != nil, workspace.configuration.smtp == nil {
                Console.warn("letters are off: no smtp: in the configuration, so no digest goes out")
            }
            try store.close()
        }
    }

    private static func setDisabled(
        _ isDisabled: Bool, _ choice: UserChoice, _ globals: GlobalOptions
    ) async throws {
        let store = try Workspace(globals).openStore()
        let user = try await choice.user(in: store)
        let isNew = try await store.administration.setDisabled(isDisabled, user: user.id, actor: Workspace.actor)
        let state = isDisabled ? "disabled" : "enabled"
        try Console.line("\(user.email) \(isNew ? "is now" : "was already") \(state).")
        try store.close()
    }
}

/// Which user a command is about.
struct UserChoice: ParsableArguments {
    @Argument(help: ArgumentHelp("Any address of the user.", valueName: "email")) var email: String

    /// Throws `notFound`.
    func user(in store: FundStore) async throws -> User { try await store.administration.user(email).user }
}

/// A person's choice of receipts on the command line.
enum ReceiptOption: String, ExpressibleByArgument, CaseIterable {
    case off, filed, problems, all
    /// None of their own.
    case mailbox

    var setting: ReceiptSetting { ReceiptChoice(rawValue: rawValue).map(ReceiptSetting.own) ?? .ofMailbox }

    /// Words behind the sentence about a change.
    var words: String {
        switch self {
        case .off: ", and gets no receipts"
        case .filed: ", and gets receipts for mail that is filed"
        case .problems: ", and gets receipts for mail that waits"
        case .all: ", and gets receipts for all mail"
        case .mailbox: ", and gets the receipts that the mailbox sends"
        }
    }
}

extension NewsPace: ExpressibleByArgument {
    /// Words behind the sentence about a change.
    fileprivate var words: String {
        switch self {
        case .off: ", and gets no letters about news"
        case .atOnce: ", and hears of news at once"
        case .hourly: ", and hears of news once an hour"
        case .daily: ", and hears of news once a day"
        }
    }
}

extension PersonLanguage: ExpressibleByArgument {}

/// A switch on the command line.
enum OnOffOption: String, ExpressibleByArgument, CaseIterable {
    case on, off

    /// Words behind the sentence about a change.
    fileprivate var deskWords: String {
        self == .on ? ", and gets a daily letter about the desk" : ", and gets no daily letter about the desk"
    }
}
