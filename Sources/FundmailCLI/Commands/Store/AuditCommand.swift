import ArgumentParser
import FundCore
import FundStore
import Terminal

struct AuditCommand: AsyncParsableCommand {
    enum Format: String, ExpressibleByArgument, CaseIterable { case table, json, csv }

    static let configuration = CommandConfiguration(
        commandName: "audit", abstract: "List who did what, to what and when, newest first.",
        discussion: """
            --action takes an action such as fund.rename, or all that begin with a word: user, fund, misroute, token, \
            mailbox, trash, retention or blob. The table shows the newest hundred unless --limit says how many; json \
            (one object a line) and csv hold all unless it is given.

            Examples:
              fundmail audit --since 7d --action user
              fundmail audit --actor ann --subject Fund1 --format csv > audit.csv
            """)

    private static let tableRows = 100

    @Option(help: ArgumentHelp("Only acts of people whose address or name contains this.", valueName: "name"))
    var actor: String?
    @Option(help: ArgumentHelp("Only this action, or all actions that begin with this word.", valueName: "action"))
    var action: String?
    @Option(help: ArgumentHelp("Only acts on subjects that contain this.", valueName: "text"))
    var subject: String?
    @Option(help: ArgumentHelp("Only acts since then: 7d, 12h, or a date such as 2026-01-01.", valueName: "time"))
    var since: String?
    @Option(help: ArgumentHelp("Only acts before then: 7d, 12h, or a date such as 2026-01-01.", valueName: "time"))
    var until: String?
    @Option(help: ArgumentHelp("The number of rows at most.", valueName: "count"))
    var limit: Int?
    @Option(help: "The output: table, json (one object a line) or csv.")
    var format: Format = .table
    @OptionGroup var globals: GlobalOptions

    func validate() throws {
        if let limit, limit < 1 { throw ValidationError("--limit \(limit): give a number from 1 on.") }
        _ = try filter()
    }

    func run() async throws {
        let filter = try filter()
        let administration = try Workspace(globals).openStore(.readOnly).administration
        var rest = limit ?? (format == .table ? Self.tableRows : .max)
        var cursor: String?
        var table = Table(["TIME", .shrinking("WHO"), "ACTION", .shrinking("SUBJECT"), .shrinking("DETAIL")])
        var csv = CSVWriter()
        csv.row(AuditEntry.columns)
        repeat {
            let page = try await administration.audit(filter, PageQuery(limit: rest, cursor: cursor))
            switch format {
            case .table:
                for entry in page.items {
                    table.add([Clock.local(entry.at), entry.actor, entry.action, entry.subject, entry.detail])
                }
            case .json: try Console.write(JSONWriter.lines(page.items, Self.fields))
            case .csv:
                for entry in page.items { csv.row(entry.cells(at: Clock.timestamp(entry.at))) }
                try Console.write(csv.drain())
            }
            rest -= page.items.count
            cursor = page.next
        } while rest > 0 && cursor != nil
        guard format == .table else { return }
        try Console.write(table.rendered(width: Console.outputWidth))
        // On standard error: the table stays one for programs, too.
        if cursor != nil { Console.error("There is more: say --limit, or filter.\n") }
    }

    private func filter() throws -> AuditFilter {
        var filter = AuditFilter()
        (filter.actor, filter.action, filter.subject) = (actor, action, subject)
        filter.since = try since.map { try Clock.since($0, of: "--since") }
        filter.until = try until.map { try Clock.since($0, of: "--until") }
        return filter
    }

    private static func fields(_ line: inout JSONWriter, _ entry: AuditEntry) {
        line.field("id", entry.id)
        line.field("time", Clock.timestamp(entry.at))
        line.field("actor", entry.actor)
        line.field("action", entry.action)
        line.field("subject", entry.subject)
        line.field("detail", entry.detail)
    }
}
