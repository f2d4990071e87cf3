import ArgumentParser
import FundCore
import FundStore
import Terminal

struct MisroutedActsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "acts", abstract: "List what administrators did about kept messages, newest first.",
        discussion: """
            `fundmail misrouted undo` takes the number of an act.

            Example:
              fundmail misrouted acts --since 7d
            """)

    @Option(help: ArgumentHelp("Only acts since then: 7d, 12h, or a date such as 2026-01-01.", valueName: "time"))
    var since: String = "30d"
    @Flag(help: "Print one JSON object an act.") var json = false
    @OptionGroup var globals: GlobalOptions

    func validate() throws { _ = try Clock.since(since, of: "--since") }

    func run() async throws {
        let time = try Clock.since(since, of: "--since")
        let desk = try Workspace(globals).openStore(.readOnly).administration
        try Listing(
            items: try await ListPage.all { try await desk.acts(since: time, $0) },
            ifEmpty: "Nothing was done since then.",
            columns: [
                .number("ACT"), "TIME", .shrinking("WHO"), "ACT", .shrinking("ABOUT"), .number("MESSAGES"), "STATE",
            ],
            row: { act in
                [
                    "\(act.id)", Clock.local(act.at), act.actor, act.kind.rawValue,
                    [act.name, act.owner].compactMap(\.self).joined(separator: " of "), "\(act.count)",
                    act.undoneAt.map { "undone \(Clock.local($0))" } ?? (act.canUndo ? "" : "final"),
                ]
            },
            fields: { line, act in
                line.field("id", act.id)
                line.field("at", Clock.timestamp(act.at))
                line.field("actor", act.actor)
                line.field("kind", act.kind.rawValue)
                line.field("name", act.name)
                line.field("owner_email", act.owner)
                line.field("count", act.count)
                line.field("standing", act.standing)
                line.field("can_undo", act.canUndo)
                line.field("learnt", act.learnt)
                line.field("undone_at", act.undoneAt.map(Clock.timestamp))
                line.field("undone_by", act.undoneBy)
            }
        ).write(json: json)
    }
}
