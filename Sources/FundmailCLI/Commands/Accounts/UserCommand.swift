import ArgumentParser
import FundCore
import FundStore
import Terminal

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "People who may file mail.",
        subcommands: [
            Add.self, List.self, Change.self, Disable.self, Enable.self, UserImportCommand.self, Address.self,
            UserPasswdCommand.self, UserTokenCommand.self, UserFactorCommand.self,
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
            let users = try await Workspace(globals).openStore(.readOnly).administration.users()
            try Listing(
                items: users, ifEmpty: "No users yet; `fundmail user add EMAIL` adds one.",
                columns: [
                    .shrinking("USER"), .shrinking("NAME"), .number("FUNDS"), "STATUS", .shrinking("OTHER ADDRESSES"),
                ],
                row: { record in
                    let user = record.user
                    let status = (user.isDisabled ? ["disabled"] : []) + (user.isAdministrator ? ["admin"] : [])
                    return [
                        user.email, user.name ?? "", "\(record.fundCount)", status.joined(separator: ", "),
                        record.addresses.dropFirst().joined(separator: ", "),
                    ]
                },
                fields: { line, record in
                    line.field("email", record.user.email)
                    line.field("name", record.user.name)
                    line.field("admin", record.user.isAdministrator)
                    line.field("disabled", record.user.isDisabled)
                    line.field("addresses", record.addresses)
                    line.field("funds", record.fundCount)
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

    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Addresses by which mail of a user is recognised.",
            subcommands: [AddAddress.self, RemoveAddress.self])
    }

    struct AddAddress: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Register one more address of a user.",
            discussion: "Example:\n  fundmail user address add ann@example.com ann@home.example")

        @Argument(help: ArgumentHelp("Any address that the user has.", valueName: "email"))
        var email: String
        @Argument(help: ArgumentHelp("The new address.", valueName: "address"))
        var address: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.user(email).user
            let isNew = try await store.administration.addAddress(address, to: user.id, actor: Workspace.actor)
            let words = isNew ? "is now an address of" : "was already an address of"
            try Console.line("\(address) \(words) \(user.email).")
            try store.close()
        }
    }

    struct RemoveAddress: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "remove", abstract: "Take an address away from a user.",
            discussion: """
                The address that names the user stays.

                Example:
                  fundmail user address remove ann@example.com ann@home.example
                """)

        @Argument(help: ArgumentHelp("Any address that the user has.", valueName: "email"))
        var email: String
        @Argument(help: ArgumentHelp("The address to take away.", valueName: "address"))
        var address: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.user(email)
            let left = try await store.administration.changeUser(
                record.user.id, UserChange(removedAddress: address), actor: Workspace.actor)
            let words = left.addresses == record.addresses ? "was no address of" : "is no longer an address of"
            try Console.line("\(address) \(words) \(record.user.email).")
            try store.close()
        }
    }

    struct Change: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "change", abstract: "Change the name or the role of a user.",
            discussion: "Example:\n  fundmail user change ann@example.com --name \"Ann Archer\" --admin")

        @OptionGroup var choice: UserChoice
        @Option(help: "The person's name, for display; an empty one removes it.")
        var name: String?
        @Flag(inversion: .prefixedNo, help: "Make the person an administrator, who sees misrouted mail.")
        var admin: Bool?
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            if name == nil && admin == nil { throw ValidationError("Say what: --name, --admin or --no-admin.") }
        }

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.changeUser(
                try await choice.user(in: store).id, UserChange(name: name, isAdministrator: admin),
                actor: Workspace.actor
            ).user
            let role = user.isAdministrator ? "an administrator" : "no administrator"
            let shown = user.name.map { "\($0), " } ?? ""
            try Console.line("\(user.email) is \(shown)\(role).")
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
