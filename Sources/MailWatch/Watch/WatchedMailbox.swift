internal import MailConnection
internal import FundCore
internal import Ingest
internal import MailFetch

/// The loop of one mailbox: run, wait for mail, run again on the same connection; after a failure pause and connect
/// anew.
struct WatchedMailbox: Sendable {
    /// First pause when a server announces mail that is not there; it doubles with each repetition.
    private static let firstFruitlessPause = Duration.milliseconds(100)
    /// A connection that was lost after a longer wait counts as a sound one.
    private static let longWait = Duration.seconds(60)
    /// How often the same refusal of the server is reported.
    private static let refusalPeriod = Duration.seconds(3600)
    /// With IDLE the folder is listed this often all the same: a connection can be dead without notice.
    private static let safetyPeriod = Duration.seconds(300)
    /// Servers and firewalls drop a connection on which nothing is sent for long; after this time a new one costs less.
    private static let longestUnusedConnection = Duration.seconds(240)

    private let polled: PolledMailbox
    private let activity: LoopActivity
    private var cancellation: Cancellation { activity.cancellation }
    private var observer: any MailboxObserver { polled.observer }

    /// - Parameter activity: its cancellation is that of `parts`.
    init(_ configuration: MailboxConfiguration, _ parts: PollingParts, _ activity: LoopActivity) {
        polled = PolledMailbox(configuration, parts)
        self.activity = activity
    }

    private struct State {
        /// Kept between runs, too.
        var lease: (any MailboxLease)?
        var source: (any MailboxSource)?
        var backoff = Backoff()
        /// For connections that are lost between two runs.
        var waitingBackoff = Backoff()
        /// The server announced mail: that is why this run began.
        var wasWoken = false
        var hasSucceeded = false
        /// Runs in a row that the server announced mail for and that found none.
        var fruitless = 0
        /// Refusal of the server to do something with its copies, and when that was reported.
        var refusal: (text: String, reportedAt: ContinuousClock.Instant)?
    }

    /// Until cancelled. Throws the failures of the store that no waiting mends.
    func run() async throws {
        var state = State()
        while activity.beginRun() {
            let result = await runOnce(&state)
            activity.endRun()
            if cancellation.isCancelled { break }
            if let error = result.error {
                if Self.isPermanent(error) { throw error }
                if (error as? ConnectionError)?.isOfServerCopies == true {
                    // Everything is filed and the connection is in order: new mail must not wait for a person.
                    reportRefusal(&state, result, error)
                    await wait(&state, result)
                } else {
                    await pause(&state, result, error)
                }
            } else {
                succeeded(&state, result)
                await wait(&state, result)
            }
        }
        await state.source?.close()
        state.lease?.end()
    }

    private func runOnce(_ state: inout State) async -> MailboxResult {
        do {
            if state.lease == nil { state.lease = try await polled.lease() }
            let source: any MailboxSource
            if let open = state.source { source = open } else { source = try await polled.open() }
            state.source = source
            return await polled.run(source)
        } catch {
            return await polled.failed(error)
        }
    }

    private func succeeded(_ state: inout State, _ result: MailboxResult) {
        observer.observe(.succeeded(result.summary, isFirst: state.backoff.failures > 0 || !state.hasSucceeded))
        state.hasSucceeded = true
        state.backoff.reset()
    }

    /// The server is asked again whenever the folder is listed; a repeated refusal is not reported each time.
    private func reportRefusal(_ state: inout State, _ result: MailboxResult, _ error: any Error) {
        let text = "\(error)"
        let isKnown = state.refusal.map { $0.text == text && .now - $0.reportedAt < Self.refusalPeriod } ?? false
        if !isKnown {
            state.refusal = (text, .now)
            observer.observe(.copiesRefused(result))
        }
        succeeded(&state, result)
    }

    // MARK: Waiting

    private func wait(_ state: inout State, _ result: MailboxResult) async {
        guard let source = state.source else { return }
        let interval = Duration.seconds(polled.configuration.intervalSeconds)
        state.fruitless = state.wasWoken && result.summary.seen == 0 ? state.fruitless + 1 : 0
        if state.fruitless > 1 {
            let pause = Self.firstFruitlessPause * (1 << min(state.fruitless, 16))
            await cancellation.pause(for: min(pause, interval))
        }
        let begin = ContinuousClock.now
        do {
            state.wasWoken = try await waitForMail(from: source, interval)
            state.waitingBackoff.reset()
        } catch {
            // No message was under way, and servers end old connections. If the server is gone, the next run fails.
            observer.observe(.connectionLost(error))
            await source.close()
            state.source = nil
            state.wasWoken = false
            if ContinuousClock.now - begin > Self.longWait { state.waitingBackoff.reset() }
            await cancellation.pause(for: state.waitingBackoff.pause(after: error))
        }
    }

    /// Waits for about `interval`, longer with IDLE. True when mail was announced. Throws when the connection was lost.
    private func waitForMail(from source: any MailboxSource, _ interval: Duration) async throws -> Bool {
        let jittered = interval * Double.random(in: Backoff.jitter)
        let isIdling = polled.configuration.usesIdle ? await source.canIdle : false
        if !isIdling, interval > Self.longestUnusedConnection {
            await source.close()
            await cancellation.pause(for: jittered)
            return false
        }
        let time = isIdling ? max(jittered, Self.safetyPeriod) : jittered
        return try await source.waitForMail(atMost: time, idling: isIdling) == .newMail
    }

    private func pause(_ state: inout State, _ result: MailboxResult, _ error: any Error) async {
        await state.source?.close()
        state.source = nil
        state.wasWoken = false
        let pause = state.backoff.pause(after: error)
        observer.observe(.failed(result, pause: pause, isTemporary: Backoff.Pace.after(error) == .temporary))
        await cancellation.pause(for: pause)
    }

    /// The store is damaged, or it is not one that this program can use: no waiting mends that.
    private static func isPermanent(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return [.corrupted, .notAStore, .newerVersion].contains(error.code)
    }
}
