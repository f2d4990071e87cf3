internal import MailConnection
import ArgumentParser
import FundCore
import FundStore
import Glibc
import Ingest
import MailParse
import MailSend
import MailWatch
import Terminal

struct PollCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "poll", abstract: "File the mail of the configured mailboxes, once.",
        discussion: """
            Fetches what is new from all mailboxes at the same time, files it, and does to the server's copies what \
            `after` says, once they are durable here. A mailbox that fails holds up no other. A mailbox belongs to one \
            run at a time, so a timer may start it as often as it likes. At its end it sends the letters that are due, \
            for a minute at most; the next run goes on.

            Exit status: 0 the run was completed, whatever the outcomes; 69 a mailbox cannot be reached or refuses the \
            login, or no letter can be sent; 73 the store cannot be written; 75 another run has the mailbox, or a \
            server asks for patience; 78 configuration.

            Examples:
              fundmail poll
              fundmail poll --mailbox funds --json
            """)

    @Option(name: .customLong("mailbox"), help: ArgumentHelp("Only this mailbox; may be repeated.", valueName: "name"))
    var names: [String] = []

    @Flag(help: "Print one JSON object a message, and a summary as the last line.")
    var json = false

    @OptionGroup var tracing: TraceOption
    @OptionGroup var globals: GlobalOptions

    /// Time for the letters that are due.
    private static let sendingTime = Duration.seconds(60)

    func run() async throws {
        let start = ContinuousClock.now
        ProcessMemory.keep()
        // Awaited at the end of the scope, also by an error.
        async let _ = CurlLibrary.preload()
        // A signal for the end of a terminal or for a daemon's reload is no reason to leave a run half done.
        ReloadSignal.ignore()
        let workspace = try Workspace(globals)
        let mailboxes = try workspace.mailboxes(named: names)
        let trace = try tracing.open()
        let cancellation = Cancellation()
        let signals = StopSignal { cancellation.cancel() }
        let store = try workspace.openStoreForRun()
        let parser = workspace.parser(stagingDirectory: store.mail.spool.path)
        let output = PollOutput(json: json, mailboxes: mailboxes.map(\.name)) { signals.stop() }
        let parts = workspace.pollingParts(
            store, parser, for: "poll", until: cancellation, trace: trace, output: output)
        let results = await PollRun.results(of: mailboxes, parts)
        async let ended: Void = parser.shutdown()
        var total = PollRun.total(results, seconds: (ContinuousClock.now - start).seconds)
        total.wasInterrupted = total.wasInterrupted || results.count < mailboxes.count
        try output.finish(total, mailboxes: mailboxes.count)
        if let failure = output.writeFailure { throw failure }
        if total.wasInterrupted, signals.number > 0 { throw ExitCode(128 + signals.number) }
        let relay = OutboxRelay(
            store, LiveConfiguration(workspace.configuration),
            workspace.configuration.smtp?.route(deadlines: .ofPoll, trace: trace), observe: RelayLog.warn)
        let problem = await relay.runOnce(atMost: Self.sendingTime, until: cancellation)
        if let problem { Console.warn("no letter goes out: \(problem)") }
        try await workspace.configuration.retention.apply(to: store)
        _ = try await store.maintenance.sweep()
        try store.close()
        await ended
        var failures = results.compactMap { result in
            result.error.map { CommandError($0, at: result.mailbox).status }
        }
        if problem != nil { failures.append(.unavailable) }
        if let status = CommandError.weightiest(failures) { throw ExitCode(status.rawValue) }
    }
}

/// `--trace`, for commands that talk to mail servers.
struct TraceOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Append the protocol with mail servers to a file, without secrets and messages.", valueName: "file"))
    var trace: String?

    func open() throws -> TraceFile? { try trace.map { try TraceFile($0) } }
}
