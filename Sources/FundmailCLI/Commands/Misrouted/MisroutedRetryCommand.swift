import ArgumentParser
import FundStore
import FundCore
import Ingest
import MailParse
import Terminal

struct MisroutedRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry", abstract: "Route kept messages again, by the users and funds as they are now.",
        discussion: """
            Files what has a fund now; the rest stays in the report. Without a number and an option all open messages \
            are tried.

            Examples:
              fundmail misrouted retry
              fundmail misrouted retry --reason unknown_sender --from ann@example.com
            """)

    @OptionGroup var selection: MisrouteSelection
    @OptionGroup var globals: GlobalOptions

    func validate() throws { try selection.validate(isOptional: true) }

    func run() async throws {
        let workspace = try Workspace(globals)
        let store = try workspace.openStore()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path)
        let desk = workspace.desk(store, parser)
        let ids = selection.ids
        let all = ids.isEmpty ? try await selection.records(in: store).map(\.id) : ids
        var (filed, refused) = (0, 0)
        let report = try await desk.retry(all, actor: Workspace.deskActor) { id, ending in
            switch ending {
            case .filed(let stored):
                filed += 1
                try Console.line("\(id): \(Self.describe(stored))")
            case .stillKept(let decision):
                if !ids.isEmpty { try Console.line("\(id): still \(decision.reason?.rawValue ?? "kept")") }
            case .refused(let error):
                try Self.complain(of: id, error, isOnly: all.count == 1)
                refused += 1
            case .done: break
            }
        }
        await parser.shutdown()
        try Console.line("\(filed) filed, \(all.count - filed) still kept.")
        try Console.line(undoing: report.act, workspace)
        try store.close()
        if refused > 0 { throw ExitCode(ExitStatus.input.rawValue) }
    }

    /// One of several does not hold up the others, unless the store can take none.
    static func complain(of id: MisrouteRecord.ID, _ error: any Error, isOnly: Bool) throws {
        guard !isOnly, CommandError(error).status == .input else { throw error }
        Console.warn("\(id): \(CommandError(error).message)")
    }

    static func describe(_ stored: StoredMessage) -> String {
        guard stored.outcome != .duplicate else { return "a copy was filed before; nothing was added" }
        let decision = stored.message.decision
        return TerminalText.clean("filed into [\(decision.fund?.name ?? "")] of \(decision.user?.email ?? "")")
    }
}

extension Workspace {
    /// Files and routes kept messages of `store` by the rules of the configuration.
    func desk(_ store: FundStore, _ parser: ParserPool) -> DeskService {
        let configuration = configuration
        let refiling = RefilingService(
            mail: store.mail, parser: parser, limits: { configuration.limits },
            policy: { configuration.policy(for: $0, trust: $1) })
        return DeskService(refiling: refiling, store: store.administration)
    }
}
