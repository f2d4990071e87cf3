import ArgumentParser
import FundStore
import Ingest
import MailParse

struct MisroutedRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Route kept messages again, by the users and funds as they are now.",
        discussion: """
            Files what has a fund now; the rest stays in the report. Without a number all open messages are tried.

            Example:
              fundmail misrouted retry
            """)

    @Argument(help: "Numbers in the report; all open ones when none is given.") var ids: [Int64] = []
    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let lock = try store.lockForRefiling(holder: "misrouted retry")
        defer { lock?.release() }
        let parser = workspace.parser(stagingDirectory: store.spool.path)
        let refiling = Refiling(
            store: store, parser: parser, limits: workspace.configuration.limits, actor: Workspace.actor)
        var all = ids
        if ids.isEmpty { all = try await store.misroutes().map(\.id) }
        var filed = 0
        for id in all {
            switch try await refiling.retry(id, policy: workspace.policy) {
            case .filed(let stored):
                filed += 1
                try Console.line("\(id): \(Self.describe(stored))")
            case .stillKept(let decision):
                if !ids.isEmpty { try Console.line("\(id): still \(decision.reason?.rawValue ?? "kept")") }
            }
        }
        await parser.shutdown()
        try Console.line("\(filed) filed, \(all.count - filed) still kept.")
        try store.close()
    }

    static func describe(_ stored: StoredMessage) -> String {
        guard stored.outcome != .duplicate else { return "a copy was filed before; nothing was added" }
        let decision = stored.message.decision
        return TerminalText.clean("filed into [\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")")
    }
}
