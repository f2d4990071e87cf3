import ArgumentParser
import FundCore
import FundStore
import Ingest
import MailParse
import Terminal

/// The store, the parser and the desk of a command that acts about kept messages.
struct DeskSession {
    let workspace: Workspace
    let store: FundStore
    let desk: DeskService

    /// Opens the store for `body` and closes it afterwards. Exits with status 65 when `body` says that something was
    /// refused.
    static func run(
        _ globals: GlobalOptions, parsers: Int = 1, _ body: (DeskSession) async throws -> ActOutput
    ) async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path, concurrency: parsers)
        let configuration = workspace.configuration
        let refiling = RefilingService(
            mail: store.mail, parser: parser, limits: { configuration.limits },
            policy: { configuration.policy(for: $0, trust: $1) }, receipts: { configuration.receipts })
        let desk = DeskService(refiling: refiling, store: store.administration)
        let output = try await body(DeskSession(workspace: workspace, store: store, desk: desk))
        await parser.shutdown()
        try store.close()
        if output.isPartial { throw ExitCode(ExitStatus.input.rawValue) }
    }
}
