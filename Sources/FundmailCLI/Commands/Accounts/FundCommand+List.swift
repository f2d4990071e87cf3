import ArgumentParser
import FundStore
import FundCore

extension FundCommand {
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Show funds with what is in them.",
            discussion: "Example:\n  fundmail fund list --owner ann@example.com")

        @Option(help: ArgumentHelp("Only funds of this user.", valueName: "email"))
        var owner: String?
        @Flag(help: "Archived ones, too.")
        var all = false
        @Flag(help: "One JSON object a fund.")
        var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore(.readOnly)
            var ownerID: User.ID?
            if let owner { ownerID = try await store.administration.user(owner).user.id }
            let funds = try await store.administration.funds(owner: ownerID, includingArchived: all)
            if json { return try Console.write(Self.lines(funds)) }
            guard !funds.isEmpty else {
                return try Console.line("No funds yet; `fundmail fund add NAME --owner EMAIL` adds one.")
            }
            var table = Table([
                Table.Column(title: "FUND", shrinks: true), Table.Column(title: "OWNER", shrinks: true),
                Table.Column(title: "MAILS", isNumber: true), Table.Column(title: "FILES", isNumber: true),
                Table.Column(title: "SIZE", isNumber: true), Table.Column(title: "ALIASES", shrinks: true),
            ])
            for fund in funds {
                table.add([
                    fund.fund.name + (fund.isArchived ? " (archived)" : ""), fund.ownerEmail, "\(fund.emailCount)",
                    "\(fund.fileCount)", Quantity.display(bytes: fund.bytes),
                    fund.fund.aliases.joined(separator: ", "),
                ])
            }
            try Console.write(table.rendered(width: Console.outputWidth))
        }

        private static func lines(_ funds: [FundRecord]) -> [UInt8] {
            var writer = JSONWriter()
            for fund in funds {
                writer.object { line in
                    line.field("name", fund.fund.name)
                    line.field("owner", fund.ownerEmail)
                    line.field("aliases", fund.fund.aliases)
                    line.field("archived", fund.isArchived)
                    line.field("emails", fund.emailCount)
                    line.field("files", fund.fileCount)
                    line.field("bytes", fund.bytes)
                }
                writer.endLine()
            }
            return writer.bytes
        }
    }
}
