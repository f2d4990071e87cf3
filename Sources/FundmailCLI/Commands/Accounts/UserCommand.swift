import ArgumentParser
import FundStore
import FundCore

struct UserCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "People who may file mail.",
        subcommands: [
            Add.self, List.self, Disable.self, Enable.self, UserImportCommand.self, Address.self,
            UserPasswdCommand.self, UserTokenCommand.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add",
            abstract: "Register a person.",
            discussion: """
                Mail from EMAIL and from each --address is theirs; ann+anything@example.com counts as ann@example.com.

                Example:
                  fundmail user add ann@example.com --name "Ann Archer" --address ann@home.example
                """)

        @Argument(help: ArgumentHelp("The address that names the user.", valueName: "email"))
        var email: String
        @Option(help: "The person's name, for display.")
        var name: String?
        @Flag(help: "May administer: sees misrouted mail.")
        var admin = false
        @Option(help: "One more address that proves it is them; may be repeated.")
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

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "disable", abstract: "Stop filing mail of a user; nothing is removed.",
            discussion: "Example:\n  fundmail user disable ann@example.com")

        @Argument(help: ArgumentHelp("Any address of the user.", valueName: "email"))
        var email: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws { try await UserCommand.setDisabled(true, email, globals) }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "enable", abstract: "File mail of a disabled user again.",
            discussion: """
                Mail that came in between is in `fundmail report misrouted`; `fundmail misrouted retry` files it.

                Example:
                  fundmail user enable ann@example.com
                """)

        @Argument(help: ArgumentHelp("Any address of the user.", valueName: "email"))
        var email: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws { try await UserCommand.setDisabled(false, email, globals) }
    }

    struct Address: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "address", abstract: "Addresses that prove who a sender is.", subcommands: [AddAddress.self])
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
            try Console.line(TerminalText.clean("\(address) \(words) \(user.email)."))
            try store.close()
        }
    }

    private static func setDisabled(_ isDisabled: Bool, _ email: String, _ globals: GlobalOptions) async throws {
        let store = try Workspace(globals).openStore()
        let user = try await store.administration.user(email).user
        let isNew = try await store.administration.setDisabled(isDisabled, user: user.id, actor: Workspace.actor)
        let state = isDisabled ? "disabled" : "enabled"
        try Console.line(TerminalText.clean("\(user.email) \(isNew ? "is now" : "was already") \(state)."))
        try store.close()
    }
}
