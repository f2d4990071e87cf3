import Ingest
import Logging
import MailFetch

/// What all mailboxes of a run share.
struct PollingParts: Sendable {
    var store: any MailStore
    var parser: any MessageParser
    var configuration: Configuration
    var batchLimits = BatchLimits()
    /// Ends every wait; what was begun is finished and acknowledged first.
    var cancellation: Cancellation
}

/// What became of one run over one mailbox.
struct MailboxResult: Sendable {
    var mailbox: String
    var summary = RunSummary()
    /// Why the run could not be completed, in words for people; what the summary counts is durable all the same.
    var failure: CommandFailure?
    /// The error behind `failure`.
    var error: (any Error)?
}

/// One configured mailbox: opened, run as often as one likes, and noted in the store each time.
struct PolledMailbox: Sendable {
    let configuration: MailboxConfiguration
    let parts: PollingParts
    private let logger: Logger

    init(_ configuration: MailboxConfiguration, _ parts: PollingParts) {
        self.configuration = configuration
        self.parts = parts
        var logger = Logger(label: "fundmail.mailbox")
        logger[metadataKey: "mailbox"] = "\(configuration.name)"
        self.logger = logger
    }

    /// Reads the secrets and makes the source; connects only when it is run.
    func open() throws -> OpenMailbox {
        let access = try configuration.access(
            limits: parts.configuration.limits, cancellation: parts.cancellation)
        let surroundings = MailboxSurroundings(
            spool: parts.store.spool, ledger: parts.store, cancellation: parts.cancellation
        ) { [logger] notice in notice.log(to: logger) }
        return try OpenMailbox(access, in: surroundings)
    }

    /// One run from opening to logging out.
    func poll(onEvent: @escaping @Sendable (IngestEvent) -> Void) async -> MailboxResult {
        let begin = RunBegin()
        do {
            let source = try open()
            let result = await run(source, onEvent: onEvent)
            await source.close()
            return result
        } catch {
            return await finish(begin, seen: 0, MailboxResult(mailbox: configuration.name, error: error))
        }
    }

    /// One run over an open mailbox. Its failures are in the result; the source should not be used again after one.
    func run(
        _ source: OpenMailbox, onEvent: @escaping @Sendable (IngestEvent) -> Void
    ) async -> MailboxResult {
        let begin = RunBegin()
        let counted = CountedSource(source.messages)
        var result = MailboxResult(mailbox: configuration.name)
        let pipeline = IngestPipeline(
            store: parts.store, parser: parts.parser,
            policy: parts.configuration.routing.policy(trust: configuration.trust),
            limits: parts.configuration.limits, batchLimits: parts.batchLimits)
        do {
            try await parts.store.openMailbox(configuration.name, at: configuration.server.text)
            result.summary = try await pipeline.run(
                counted, shouldStop: { [parts] in parts.cancellation.isCancelled }, onEvent: onEvent)
        } catch let failure as IngestFailure {
            result.summary = failure.summary
            result.error = failure.underlying
        } catch {
            result.error = error
        }
        return await finish(begin, seen: counted.offered, result)
    }

    private struct RunBegin {
        let seconds = Clock.now
        let instant = ContinuousClock.now
    }

    /// Phrases what went wrong and notes the run in the store.
    private func finish(_ begin: RunBegin, seen: Int, _ result: MailboxResult) async -> MailboxResult {
        var result = result
        if parts.cancellation.isCancelled {
            result.summary.wasInterrupted = true
            // Somebody wanted it so: that is no failure of the mailbox.
            if result.error is CancellationError || (result.error as? FetchError)?.code == .cancelled {
                result.error = nil
            }
        }
        result.summary.seconds = (ContinuousClock.now - begin.instant).seconds
        result.failure = result.error.map { CommandFailure($0, at: configuration) }
        do {
            try await note(begin, seen: seen, result)
        } catch {
            if result.failure == nil {
                (result.error, result.failure) = (error, CommandFailure(error, at: configuration))
            }
        }
        return result
    }

    private func note(_ begin: RunBegin, seen: Int, _ result: MailboxResult) async throws {
        let summary = result.summary
        let wasCut = result.failure != nil || summary.wasInterrupted
        let before = try await parts.store.mailboxStates().first { $0.name == configuration.name }
        let left = max(0, seen - (summary.seen - summary.failed))
        // A run that saw nothing knows nothing new about what waits.
        let waiting = wasCut && seen == 0 ? before?.waiting ?? 0 : left
        var run = MailboxRun(
            startedAt: begin.seconds, seconds: summary.seconds, outcomes: summary.outcomes, failed: summary.failed,
            bytes: summary.bytes, waiting: waiting)
        run.problem = result.failure?.message ?? (summary.wasInterrupted ? "The run was interrupted." : nil)
        if waiting > 0 { run.oldestWaitingAt = before?.oldestWaitingAt ?? begin.seconds }
        try await parts.store.note(run, of: configuration.name)
    }
}
