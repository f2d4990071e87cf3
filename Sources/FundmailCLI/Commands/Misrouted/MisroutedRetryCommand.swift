import ArgumentParser
import FundCore
import FundStore
import Ingest
import MailParse
import Terminal

struct MisroutedRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Route kept messages again, by the users and funds as they are now.",
        discussion: """
            Messages that have a fund now are filed; the others stay in the report. Without a number and an option all \
            open messages are tried.

            Examples:
              fundmail misrouted retry
              fundmail misrouted retry --reason unknown_sender --from ann@example.com
            """)

    @OptionGroup var selection: MisrouteSelection
    @OptionGroup var format: ActFormat
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try selection.validate(isOptional: true) }

    func run() async throws {
        try await DeskSession.run(globals, parsers: ParserPool.defaultConcurrency) { session in
            let ids = selection.ids
            let all = ids.isEmpty ? try await selection.records(in: session.store).map(\.id) : ids
            let output = ActOutput(json: format.json, count: all.count, showsKept: !ids.isEmpty)
            let report = try await session.desk.retry(
                all, evenPutAside: true, actor: Workspace.deskActor, onDisposition: output.take)
            try output.sayCounts(of: all.count)
            try output.finish(report, session.workspace)
            return output
        }
    }
}
