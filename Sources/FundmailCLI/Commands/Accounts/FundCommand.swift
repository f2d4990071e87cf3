import ArgumentParser
import FundStore
import FundCore
import Ingest
import Terminal

struct FundCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fund", abstract: "Named folders into which mail is filed.",
        subcommands: [Add.self, List.self, Rename.self, Archive.self, Give.self, Alias.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "add", abstract: "Make a fund.",
            discussion: """
                The fund's owner files into it with [NAME] in the subject. Upper and lower case, full-width letters \
                and extra spaces do not matter.

                Example:
                  fundmail fund add "Alpha Fund" --owner ann@example.com --alias AF
                """)

        @Argument(help: ArgumentHelp("The name between the brackets of a subject.", valueName: "name"))
        var name: String
        @Option(help: ArgumentHelp("Any address of the fund's owner.", valueName: "email"))
        var owner: String
        @Option(help: "Another name for the same fund; may be repeated.")
        var alias: [String] = []
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let user = try await store.administration.user(owner).user
            let fund = try await store.administration.addFund(
                name: name, owner: user.id, aliases: alias, actor: Workspace.actor)
            try Console.line("Added [\(fund.name)] of \(user.email).")
            try FormerName.warn(fund.name, taken: fund.tookNameFrom)
            try store.close()
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show funds with what is in them.",
            discussion: "Example:\n  fundmail fund list --owner ann@example.com")

        @Option(help: ArgumentHelp("Only funds of this user.", valueName: "email"))
        var owner: String?
        @Flag(help: "Show archived funds, too.")
        var all = false
        @Flag(help: "Print one JSON object a fund.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            var ownerID: User.ID?
            if let owner { ownerID = try await store.administration.user(owner).user.id }
            let funds = try await store.administration.funds(owner: ownerID, includingArchived: all)
            try Listing(
                items: funds, ifEmpty: "No funds yet; `fundmail fund add NAME --owner EMAIL` adds one.",
                columns: [
                    .shrinking("FUND"), .shrinking("OWNER"), .number("MAILS"), .number("FILES"), .number("SIZE"),
                    .shrinking("ALIASES"),
                ],
                row: { record in
                    [
                        record.fund.name + (record.isArchived ? " (archived)" : ""), record.ownerEmail,
                        "\(record.emailCount)", "\(record.fileCount)", Quantity.display(bytes: record.bytes),
                        record.fund.aliases.joined(separator: ", "),
                    ]
                },
                fields: { line, record in
                    line.field("name", record.fund.name)
                    line.field("owner", record.ownerEmail)
                    line.field("aliases", record.fund.aliases)
                    line.field("archived", record.isArchived)
                    line.field("emails", record.emailCount)
                    line.field("files", record.fileCount)
                    line.field("bytes", record.bytes)
                }
            ).write(json: json)
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Give a fund another name.",
            discussion: """
                The old name stays as an alias, so that mail with it goes on finding the fund, until another fund of \
                the same owner is given that name.

                Example:
                  fundmail fund rename Fund1 "Alpha Fund" --owner ann@example.com
                """)

        @OptionGroup var choice: FundChoice
        @Argument(help: "The new name.") var newName: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            let formerHolder = try await store.administration.renameFund(
                record.fund.id, to: newName, actor: Workspace.actor)
            let renamed = try await store.administration.fund(record.fund.id).fund
            let isAlias = renamed.aliases.contains(record.fund.name)
            let words = isAlias ? "; mail with [\(record.fund.name)] finds it, too" : ""
            try Console.line(
                TerminalText.clean("[\(record.fund.name)] of \(record.ownerEmail) is now [\(newName)]\(words)."))
            try FormerName.warn(newName, taken: formerHolder)
            try store.close()
        }
    }

    struct Archive: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "archive", abstract: "Close a fund: mail no longer finds it; its content stays.",
            discussion: "Example:\n  fundmail fund archive Fund1 --owner ann@example.com")

        @OptionGroup var choice: FundChoice
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            try await store.administration.archiveFund(record.fund.id, actor: Workspace.actor)
            try Console.line("Archived [\(record.fund.name)] of \(record.ownerEmail).")
            try store.close()
        }
    }

    struct Give: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "give", abstract: "Give a fund with everything in it to another owner.",
            discussion: """
                Mail, files, notes, trash and names go along; the former owner no longer sees the fund, and their mail \
                for it is misrouted.

                Example:
                  fundmail fund give Fund1 --owner ann@example.com --to bo@example.com
                """)

        @OptionGroup var choice: FundChoice
        @Option(help: ArgumentHelp("Any address of the new owner.", valueName: "email"))
        var to: String
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let record = try await store.administration.onlyFund(named: choice.name, owner: choice.owner)
            let newOwner = try await store.administration.user(to).user
            let gift = try await store.administration.giveFund(record.fund.id, to: newOwner.id, actor: Workspace.actor)
            let words =
                gift.isNew ? "is now \(newOwner.email)'s, with everything in it" : "was \(newOwner.email)'s already"
            try Console.line("[\(record.fund.name)] of \(record.ownerEmail) \(words).")
            for taken in gift.takenNames { try FormerName.warn(taken.name, taken: taken.formerHolder) }
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
            try Console.line("[\(alias)] \(words) [\(record.fund.name)] of \(record.ownerEmail).")
            try store.close()
        }
    }
}

/// A name that another fund had before.
private enum FormerName {
    /// - Parameter fund: the one that mail with the name found until now; nil for none.
    static func warn(_ name: String, taken fund: String?) throws {
        guard let fund else { return }
        let text = "Mail with [\(name)] found [\(fund)] until now, which was called so before."
        Console.error(TerminalText.clean(text) + "\n")
    }
}

/// Which fund a command is about.
struct FundChoice: ParsableArguments {
    @Argument(help: "The name or an alias of the fund.") var name: String
    @Option(help: ArgumentHelp("The fund's owner, when several people have a fund of that name.", valueName: "email"))
    var owner: String?
}

extension SQLAdministrationStore {
    /// The one fund of that name or alias. Throws `CommandError` when there is none or when several owners have one.
    func onlyFund(named name: String, owner: String?) async throws -> FundRecord {
        var ownerID: User.ID?
        if let owner { ownerID = try await user(owner).user.id }
        let found = try await funds(named: name, owner: ownerID)
        if found.count == 1, let fund = found.first { return fund }
        if found.count > 1 {
            let owners = found.map(\.ownerEmail).joined(separator: ", ")
            throw CommandError(.input, "Several people have a fund \(name); name its owner, one of: \(owners).")
        }
        let near = FundSuggestions.nearest(to: name, among: try await funds(owner: ownerID).map(\.fund))
        let hint =
            near.isEmpty
            ? "`fundmail fund list` shows what there is." : "did you mean \(near.joined(separator: " or "))?"
        throw CommandError(.input, "There is no fund \(name)\(owner.map { " of \($0)" } ?? ""); \(hint)")
    }
}
