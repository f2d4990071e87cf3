internal import MailConnection
internal import FundCore
internal import Ingest
internal import MailFetch

/// One configured mailbox: opened, run as often as needed, and each run noted in the store.
struct PolledMailbox: Sendable {
    let configuration: MailboxConfiguration
    let parts: PollingParts
    let observer: any MailboxObserver

    init(_ configuration: MailboxConfiguration, _ parts: PollingParts) {
        self.configuration = configuration
        self.parts = parts
        observer = parts.observer(configuration)
    }

    /// Reads the secrets and makes the source, which connects when it is run. Throws what `failed` takes.
    ///
    /// - Parameter runLimit: what one run may take; nil: no limit.
    func open(runLimit: Duration? = nil) async throws -> any MailboxSource {
        var access = try configuration.access(
            limits: parts.rules.limits, cancellation: parts.cancellation,
            onToken: { [parts, name = configuration.name] in parts.onToken(name, $0) })
        // One slow message leaves time for the messages behind it.
        (access.runLimit, access.messageLimit) = (runLimit, runLimit.map { $0 / 2 })
        access.transcript = parts.transcript?(configuration.name)
        if try await parts.store.openMailbox(configuration.name, at: configuration.server.text) {
            observer.observe(.addressChanged)
        }
        var services = MailboxServices(
            spool: parts.store.spool, ledger: parts.store, cancellation: parts.cancellation
        ) { [observer] notice in observer.observe(.notice(notice)) }
        services.onCertificate = { [parts, name = configuration.name] in parts.onCertificate(name, $0) }
        services.onComingMail = { [parser = parts.parser] in parser.warmUp() }
        return try parts.source(access, services)
    }

    /// The mailbox for this run alone. Throws `held`.
    func lease() async throws -> any MailboxLease {
        try await parts.store.lease(configuration.name, to: parts.holder)
    }

    /// One run from opening to logging out. Its time is limited: a slow server must not keep the mailbox for hours.
    func poll() async -> MailboxResult {
        let result: MailboxResult
        do {
            let lease = try await lease()
            defer { lease.end() }
            let source = try await open(runLimit: .seconds(configuration.runLimitSeconds))
            result = await run(source)
            await source.close()
        } catch {
            result = await failed(error)
        }
        observer.observe(.polled(result))
        return result
    }

    /// One run over an open mailbox. Its failures are in the result; the source should not be used again after one.
    func run(_ source: any MailboxSource) async -> MailboxResult {
        let begin: RunBegin = (.now, .now)
        var result = MailboxResult(mailbox: configuration)
        let pipeline = IngestPipeline(
            store: parts.store, parser: parts.parser, policy: configuration.policy(parts.rules.routing),
            limits: parts.rules.limits, batchLimits: parts.batchLimits, receipts: parts.rules.receipts)
        do {
            result.summary = try await pipeline.run(
                source, shouldStop: { [parts] in parts.cancellation.isCancelled },
                onEvent: { [observer] event in observer.observe(.message(event)) })
        } catch let failure as IngestError {
            result.summary = failure.summary
            result.error = failure.underlying
        } catch {
            result.error = error
        }
        result.waiting = await source.waitingMail()
        return await finish(begin, result)
    }

    /// The result of a run that failed before it began.
    func failed(_ error: any Error) async -> MailboxResult {
        await finish((.now, .now), MailboxResult(mailbox: configuration, error: error))
    }

    private typealias RunBegin = (time: Timestamp, instant: ContinuousClock.Instant)

    /// Notes the run in the store.
    private func finish(_ begin: RunBegin, _ result: MailboxResult) async -> MailboxResult {
        var result = result
        if parts.cancellation.isCancelled {
            result.summary.wasInterrupted = true
            // The end of the program is no failure of the mailbox.
            if let error = result.error, Self.isCancellation(error) { result.error = nil }
        }
        result.summary.seconds = (ContinuousClock.now - begin.instant).seconds
        // Another process that holds the mailbox notes its own run.
        guard (result.error as? StoreError)?.code != .held else { return result }
        do {
            try await note(begin, result)
        } catch {
            if result.error == nil { result.error = error }
        }
        return result
    }

    private static func isCancellation(_ error: any Error) -> Bool {
        guard let error = error as? ConnectionError else { return error is CancellationError }
        return error.code == .cancelled || error.underlying is CancellationError
    }

    private func note(_ begin: RunBegin, _ result: MailboxResult) async throws {
        let summary = result.summary
        let before = try await parts.store.mailboxStates().first { $0.name == configuration.name }
        // A run that saw nothing knows nothing new about what waits.
        let waiting = result.waiting?.count ?? before?.waiting ?? 0
        var run = MailboxRun(startedAt: begin.time)
        run.seconds = summary.seconds
        run.outcomes = summary.outcomes
        run.failed = summary.failed
        run.bytes = summary.bytes
        run.waiting = waiting
        run.problem = observer.problem(of: result)
        if waiting > 0 {
            run.oldestWaitingAt = result.waiting?.oldestAt ?? before?.oldestWaitingAt ?? begin.time
        }
        try await parts.store.note(run, of: configuration.name)
    }
}
