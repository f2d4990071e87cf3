import ArgumentParser
import FundStore
import Glibc
import FundCore
import Ingest
import MailFetch
import MailParse
import Terminal

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "File mail from files.",
        discussion: """
            Takes .eml files, folders at any depth, mbox files and Maildirs; - is standard input. You vouch for the \
            senders, unless --as applies the trust of a configured mailbox. A message that was seen before is \
            recognised and not filed again, so running the same command twice is harmless.

            Examples:
              fundmail replay letter.eml ~/Maildir backup.mbox
              fundmail replay --dry-run --as funds export/
              fundmail replay --json mail/ > outcomes.jsonl
            """)

    @Argument(help: ArgumentHelp("Files and folders with mail.", valueName: "path"))
    var paths: [String]

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp("Believe senders only as this configured mailbox does.", valueName: "mailbox"))
    var mailbox: String?

    @Flag(help: "Show what would become of the messages; store nothing.")
    var dryRun = false

    @Flag(help: "Print one JSON object a message, and a summary as the last line.")
    var json = false

    @Flag(help: "Print on standard error how long each stage took, in nanoseconds.")
    var timings = false

    @OptionGroup var globals: GlobalOptions

    func run() async throws {
        ProcessMemory.keep()
        let workspace = try Workspace(globals)
        let policy = try workspace.policy(asMailbox: mailbox)
        let signals = StopSignal()
        let output = ReplayOutput(json: json) { signals.stop() }
        let summary: RunSummary
        do {
            summary =
                dryRun
                ? try await rehearse(workspace, policy, signals, output)
                : try await file(workspace, policy, signals, output)
        } catch let failure as IngestError {
            try finish(output, failure.summary)
            throw failure
        }
        try finish(output, summary)
        if let failure = output.writeFailure { throw failure }
        if summary.wasInterrupted, signals.number > 0 { throw ExitCode(128 + signals.number) }
        if summary.failed > 0 { throw ExitCode(ExitStatus.input.rawValue) }
    }

    private func file(
        _ workspace: Workspace, _ policy: RoutingPolicy, _ signals: StopSignal, _ output: ReplayOutput
    ) async throws -> RunSummary {
        let store = try workspace.openStoreForRun()
        let summary = try await run(workspace, store.mail, policy, staging: store.mail.spool.path, signals, output)
        try await workspace.configuration.retention.apply(to: store)
        _ = try await store.maintenance.sweep()
        try store.close()
        return summary
    }

    private func rehearse(
        _ workspace: Workspace, _ policy: RoutingPolicy, _ signals: StopSignal, _ output: ReplayOutput
    ) async throws -> RunSummary {
        let store = try workspace.openStore(.readOnly)
        let scratch = try ScratchFolder()
        let spool = store.mail.spool.elsewhere(scratch.path)
        let rehearsal = Rehearsal(
            spool: spool, directory: { try store.mail.directory() },
            attempt: { try store.mail.attempt(ofReturnPath: $0) }, holds: { try await store.mail.holds($0) },
            hasRoom: { try await store.mail.hasRoom(for: $0, beside: $1, of: $2) })
        return try await run(workspace, rehearsal, policy, staging: scratch.path, signals, output)
    }

    private func run(
        _ workspace: Workspace, _ store: any IngestStore, _ policy: RoutingPolicy, staging: String,
        _ signals: StopSignal, _ output: ReplayOutput
    ) async throws -> RunSummary {
        let parser = workspace.parser(stagingDirectory: staging)
        let pipeline = IngestPipeline(
            store: store, parser: parser, policy: policy, limits: workspace.configuration.limits,
            batchLimits: DebugSwitches.batchLimits())
        let source = FileSource(paths: paths)
        let summary = try await pipeline.run(source, shouldStop: { signals.isReceived }, onEvent: output.take)
        await parser.shutdown()
        let ignored = await source.ignoredFiles
        if summary.seen == 0, ignored > 0 {
            Console.warn(
                "\(ignored) files were passed over: in folders only *.eml, *.mbox, *.mbx and numbers are read; name a "
                    + "file to have it read")
        }
        return summary
    }

    private func finish(_ output: ReplayOutput, _ summary: RunSummary) throws {
        try output.finish(summary, isRehearsal: dryRun)
        guard timings else { return }
        let times = summary.timings
        for (name, time) in [
            ("spool", times.spool), ("parse", times.parse), ("route", times.route), ("stage", times.stage),
            ("commit", times.commit), ("acknowledge", times.acknowledge),
        ] {
            Console.error("timing \(name) \(Int64(time.seconds * 1e9))\n")
        }
    }
}
