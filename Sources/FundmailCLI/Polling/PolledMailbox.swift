import FundCore
import Ingest
import Logging
import MailFetch

/// One configured mailbox: opened, run as often as one likes, and noted in the store each time.
struct PolledMailbox: Sendable {
    let configuration: MailboxConfiguration
    let parts: PollingParts
    let logger: Logger

    init(_ configuration: MailboxConfiguration, _ parts: PollingParts) {
        self.configuration = configuration
        self.parts = parts
        var logger = Logger(label: "fundmail.mailbox")
        logger[metadataKey: "mailbox"] = "\(configuration.name)"
        self.logger = logger
    }

    /// Reads the secrets and makes the source, which connects when it is run. Throws what `failed` takes.
    ///
    /// - Parameter runLimit: what one run may take; nil: as long as it lasts.
    func open(runLimit: Duration? = nil) async throws -> OpenMailbox {
        var access = try configuration.access(
            limits: parts.configuration.limits, cancellation: parts.cancellation)
        // One slow message leaves time for those behind it.
        (access.runLimit, access.messageLimit) = (runLimit, runLimit.map { $0 / 2 })
        access.transcript = parts.trace?.transcript(of: configuration.name)
        if try await parts.store.openMailbox(configuration.name, at: configuration.server.text) {
            logger.notice("it is at another address than before: what is there is taken for new, and recognised")
        }
        let surroundings = MailboxSurroundings(
            spool: parts.store.spool, ledger: parts.store, cancellation: parts.cancellation
        ) { [logger] notice in notice.log(to: logger) }
        return try OpenMailbox(access, in: surroundings)
    }

    /// One run from opening to logging out. A slow server does not keep the run lock from the next `poll` for hours.
    func poll(onEvent: @escaping @Sendable (IngestEvent) -> Void) async -> MailboxResult {
        do {
            let source = try await open(runLimit: .seconds(configuration.runLimitSeconds))
            let result = await run(source, onEvent: onEvent)
            await source.close()
            return result
        } catch {
            return await failed(error)
        }
    }

    /// One run over an open mailbox. Its failures are in the result; the source should not be used again after one.
    func run(
        _ source: OpenMailbox, onEvent: @escaping @Sendable (IngestEvent) -> Void
    ) async -> MailboxResult {
        let begin = RunBegin()
        var result = MailboxResult(mailbox: configuration.name)
        let pipeline = IngestPipeline(
            store: parts.store, parser: parts.parser,
            policy: parts.configuration.routing.policy(trust: configuration.trust),
            limits: parts.configuration.limits, batchLimits: parts.batchLimits)
        do {
            result.summary = try await pipeline.run(
                source.messages, shouldStop: { [parts] in parts.cancellation.isCancelled }, onEvent: onEvent)
        } catch let failure as IngestError {
            result.summary = failure.summary
            result.error = failure.underlying
        } catch {
            result.error = error
        }
        result.waiting = await source.waitingMail()
        return await finish(begin, result)
    }

    /// A run that failed before it began.
    func failed(_ error: any Error) async -> MailboxResult {
        await finish(RunBegin(), MailboxResult(mailbox: configuration.name, error: error))
    }

    private struct RunBegin {
        let seconds = Timestamp.now
        let instant = ContinuousClock.now
    }

    /// Phrases what went wrong and notes the run in the store.
    private func finish(_ begin: RunBegin, _ result: MailboxResult) async -> MailboxResult {
        var result = result
        if parts.cancellation.isCancelled {
            result.summary.wasInterrupted = true
            // Somebody wanted it so: that is no failure of the mailbox.
            if let error = result.error, Self.isCancellation(error) { result.error = nil }
        }
        result.summary.seconds = (ContinuousClock.now - begin.instant).seconds
        result.failure = result.error.map { CommandError($0, at: configuration) }
        do {
            try await note(begin, result)
        } catch {
            if result.failure == nil {
                (result.error, result.failure) = (error, CommandError(error, at: configuration))
            }
        }
        return result
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        guard let error = error as? FetchError else { return error is CancellationError }
        return error.code == .cancelled || error.underlying is CancellationError
    }

    private func note(_ begin: RunBegin, _ result: MailboxResult) async throws {
        let summary = result.summary
        let before = try await parts.store.mailboxStates().first { $0.name == configuration.name }
        // A run that saw nothing knows nothing new about what waits.
        let waiting = result.waiting?.count ?? before?.waiting ?? 0
        var run = MailboxRun(
            startedAt: begin.seconds, seconds: summary.seconds, outcomes: summary.outcomes, failed: summary.failed,
            bytes: summary.bytes, waiting: waiting)
        run.problem = result.failure?.message ?? (summary.wasInterrupted ? "The run was interrupted." : nil)
        if waiting > 0 {
            run.oldestWaitingAt = result.waiting?.oldestAt ?? before?.oldestWaitingAt ?? begin.seconds
        }
        try await parts.store.note(run, of: configuration.name)
    }
}
