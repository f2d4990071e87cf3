import ArgumentParser
import FundCore
import FundStore
import Terminal

struct MisroutedLearntCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "learnt", abstract: "List addresses and aliases that were learnt from kept messages.",
        discussion: """
            `fundmail misrouted forget` takes one back.

            Example:
              fundmail misrouted learnt
            """)

    @Flag(help: "Print one JSON object for each.") var json = false
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let desk = try Workspace(globals).openStore(.readOnly).administration
        try Listing(
            items: try await ListPage.all { try await desk.learnt($0) }, ifEmpty: "Nothing was learnt yet.",
            columns: [
                .number("ID"), "TIME", .shrinking("WHO"), .shrinking("LEARNT"), .shrinking("LEADS TO"),
                .number("MESSAGES"), "STATE",
            ],
            row: { learnt in
                [
                    "\(learnt.id)", Clock.local(learnt.at), learnt.actor, learnt.rule.name,
                    [learnt.fund.map { "[\($0)]" }, learnt.owner].compactMap(\.self).joined(separator: " of "),
                    "\(learnt.hits)", learnt.takenBackAt.map { "forgotten \(Clock.local($0))" } ?? "",
                ]
            },
            fields: { line, learnt in
                line.field("id", learnt.id)
                line.field("kind", learnt.fund == nil ? "address" : "alias")
                line.field("name", learnt.rule.name)
                line.field("owner_email", learnt.owner)
                line.field("fund_name", learnt.fund)
                line.field("message", learnt.message)
                line.field("at", Clock.timestamp(learnt.at))
                line.field("actor", learnt.actor)
                line.field("hits", learnt.hits)
                line.field("last_hit_at", learnt.lastHitAt.map(Clock.timestamp))
                line.field("taken_back_at", learnt.takenBackAt.map(Clock.timestamp))
                line.field("taken_back_by", learnt.takenBackBy)
            }
        ).write(json: json)
    }
}

struct MisroutedForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget", abstract: "Forget an address or an alias that was learnt; what was filed stays.",
        discussion: """
            Example:
              fundmail misrouted forget 3
            """)

    @Argument(help: "The number that `fundmail misrouted learnt` shows.") var id: LearntRule.ID
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let store = try Workspace(globals).openStore()
        let learnt = try await store.administration.learnt(id)
        try await store.administration.takeBack(id, actor: Workspace.actor)
        let place = learnt.fund.map { "[\($0)] of " } ?? ""
        try Console.line("\(learnt.rule.name) no longer leads to \(place)\(learnt.owner).")
        try store.close()
    }
}
