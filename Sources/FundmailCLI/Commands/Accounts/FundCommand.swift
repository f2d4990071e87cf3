import ArgumentParser
import FundStore
import FundCore

struct FundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fund", abstract: "Named folders into which mail is filed.",
        subcommands: [Add.self, List.self, Rename.self, Archive.self, Alias.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a fund.",
            discussion: """
                Its owner files into it with [NAME] in the subject. Upper and lower case, full-width letters and extra \
                spaces do not matter.

                Example:
                  fundmail fund add "Alpha Fund" --owner ann@example.com --alias AF
                """)

        @Argument(help: ArgumentHelp("What stands between the brackets.", valueName: "name"))
        var name: String
        @Option(help: ArgumentHelp("Any address of the user it belongs to.", valueName: "email"))
        var owner: String
        @Option(help: "Another name for the same fund; may be repeated.")
        var alias: [String] = []
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.user(owner).user
            let fund = try await store.administration.addFund(
                name: name, owner: user.id, aliases: alias, actor: Workspace.actor)
            try Console.line(TerminalText.clean("Added [\(fund.name)] of \(user.email)."))
            try store.close()
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a fund another name.",
            discussion: """
                Mail with the old name no longer finds it, unless it stays as an alias (`fundmail fund alias`).

                Example:
                  fundmail fund rename Fund1 "Alpha Fund" --owner ann@example.com
                """)

        @OptionGroup var choice: FundChoice
        @Argument(help: "The new name.") var newName: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            try await store.administration.renameFund(record.fund.id, to: newName, actor: Workspace.actor)
            try Console.line(TerminalText.clean("[\(record.fund.name)] of \(record.ownerEmail) is now [\(newName)]."))
            try store.close()
        }
    }

    struct Archive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "archive", abstract: "Close a fund: mail no longer finds it; what is in it stays.",
            discussion: "Example:\n  fundmail fund archive Fund1 --owner ann@example.com")

        @OptionGroup var choice: FundChoice
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            try await store.administration.archiveFund(record.fund.id, actor: Workspace.actor)
            try Console.line(TerminalText.clean("Archived [\(record.fund.name)] of \(record.ownerEmail)."))
            try store.close()
        }
    }

    struct Alias: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "alias", abstract: "Give a fund one more name.",
            discussion: "Example:\n  fundmail fund alias \"Alpha Fund\" AF --owner ann@example.com")

        @OptionGroup var choice: FundChoice
        @Argument(help: "The additional name.") var alias: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            let isNew = try await store.administration.addAlias(alias, to: record.fund.id, actor: Workspace.actor)
            let words = isNew ? "now also finds" : "already found"
            try Console.line(TerminalText.clean("[\(alias)] \(words) [\(record.fund.name)] of \(record.ownerEmail)."))
            try store.close()
        }
    }
}

/// Which fund a command is about.
struct FundChoice: ParsableArguments {
    @Argument(help: "Its name or an alias.") var name: String
    @Option(help: ArgumentHelp("Its owner, when several people have a fund of that name.", valueName: "email"))
    var owner: String?
}
