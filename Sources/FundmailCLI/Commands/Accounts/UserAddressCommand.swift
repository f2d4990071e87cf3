import ArgumentParser
import FundCore
import FundStore
import Terminal

struct UserAddressCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "address", abstract: "Addresses by which mail of a user is recognised.",
        subcommands: [Add.self, Remove.self, Answer.self])

    struct Add: AsyncParsableCommand {
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

    struct Remove: AsyncParsableCommand {
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

    struct Answer: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "answer",
            abstract: "Send receipts to an address although nothing proves the sender.",
            discussion: """
                Receipts go only to senders whom the trust check of the mailbox proves. A mailbox with \
                trust: {require: none} proves nobody: there this address is answered all the same, and gets letters \
                about mail that others send in its name. --off takes that back.

                Examples:
                  fundmail user address answer ann@example.com ann@home.example
                  fundmail user address answer ann@example.com ann@home.example --off
                """)

        @Argument(help: ArgumentHelp("Any address that the user has.", valueName: "email"))
        var email: String
        @Argument(help: ArgumentHelp("The address of theirs that is answered.", valueName: "address"))
        var address: String
        @Flag(help: "Answer it no more unless the sender is proved.")
        var off = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.user(email).user
            let change = off ? UserChange(unansweredAddress: address) : UserChange(answeredAddress: address)
            try await store.administration.changeUser(user.id, change, actor: Workspace.actor)
            let words = off ? "only when the sender is proved" : "although nothing proves the sender"
            try Console.line("\(address) is answered \(words).")
            try store.close()
        }
    }
}
