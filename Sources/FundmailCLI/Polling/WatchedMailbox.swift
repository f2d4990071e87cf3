import FundStore
import MailWatch
import Ingest
import FundCore
import Logging
import MailFetch

/// The loop of one mailbox: run, wait for mail, run again on the same connection; after a failure a pause and a new connection.
struct WatchedMailbox: Sendable {
    /// A server that tells of mail again and again where there is none is believed less and less.
    private static let firstFruitlessPause = Duration.milliseconds(100)

    /// A line that lasted for longer was no trouble.
    private static let longWait = Duration.seconds(60)

    /// How often it is told that the server refuses the same.
    private static let refusalPeriod = Duration.seconds(3600)

    private let polled: PolledMailbox
    private let parts: PollingParts
    private var logger: Logger { polled.logger }

    init(_ configuration: MailboxConfiguration, _ parts: PollingParts) {
        polled = PolledMailbox(configuration, parts)
        self.parts = parts
    }

    private struct State {
        var source: OpenMailbox?
        var backoff = Backoff()
        /// For lines that drop while nothing is under way.
        var waitingBackoff = Backoff()
        /// The server told of mail; that is why this run began.
        var wasWoken = false
        var hasSucceeded = false
        /// Runs that the server woke us for, and that found nothing.
        var fruitless = 0
        /// What the server refused to do with its copies, and when that was told.
        var refusal: (text: String, toldAt: ContinuousClock.Instant)?
    }

    /// Until cancelled. Throws the failures of the store that no waiting mends.
    func run() async throws {
        var state = State()
        while !parts.cancellation.isCancelled {
            let result = await runOnce(&state)
            if parts.cancellation.isCancelled { break }
            if let error = result.error {
                if Self.isHopeless(error) { throw error }
                if (error as? FetchError)?.isOfServerCopies == true {
                    // Everything is filed, and the connection is in order: new mail is not to wait for it.
                    tellRefusal(&state, result)
                    await wait(&state, result)
                    continue
                }
                await pause(&state, after: error, result.failure)
            } else {
                succeeded(&state, result)
                await wait(&state, result)
            }
        }
        await state.source?.close()
    }

    private func runOnce(_ state: inout State) async -> MailboxResult {
        do {
            let source: OpenMailbox
            if let open = state.source { source = open } else { source = try await polled.open() }
            state.source = source
            let logger = logger
            return await polled.run(source) { WatchLog.write($0, to: logger) }
        } catch {
            return await polled.failed(error)
        }
    }

    private func succeeded(_ state: inout State, _ result: MailboxResult) {
        WatchLog.write(
            result.summary, isFirst: state.backoff.failures > 0 || !state.hasSucceeded,
            at: polled.configuration.server.text, to: logger)
        state.hasSucceeded = true
        state.backoff.reset()
    }

    /// It is tried again whenever the folder is listed, and not told each time.
    private func tellRefusal(_ state: inout State, _ result: MailboxResult) {
        let text = result.failure?.message ?? "the server refuses what should become of its copies"
        let isKnown = state.refusal.map { $0.text == text && .now - $0.toldAt < Self.refusalPeriod } ?? false
        if !isKnown {
            state.refusal = (text, .now)
            logger.error("\(text)")
        }
        succeeded(&state, result)
    }

    private func wait(_ state: inout State, _ result: MailboxResult) async {
        guard let source = state.source else { return }
        let interval = Duration.seconds(polled.configuration.intervalSeconds)
        state.fruitless = state.wasWoken && result.summary.seen == 0 ? state.fruitless + 1 : 0
        if state.fruitless > 1 {
            let pause = Self.firstFruitlessPause * (1 << min(state.fruitless, 16))
            await parts.cancellation.pause(for: min(pause, interval))
        }
        let begin = ContinuousClock.now
        do {
            state.wasWoken = try await source.wait(
                interval, idling: polled.configuration.usesIdle, parts.cancellation)
            state.waitingBackoff.reset()
        } catch {
            // Nothing was under way, and servers end old connections. If this one is gone, the next run says so.
            logger.info("the line dropped while waiting for mail: \(error)")
            await source.close()
            state.source = nil
            state.wasWoken = false
            if ContinuousClock.now - begin > Self.longWait { state.waitingBackoff.reset() }
            await parts.cancellation.pause(for: state.waitingBackoff.pause(after: error))
        }
    }

    private func pause(_ state: inout State, after error: any Error, _ failure: CommandError?) async {
        await state.source?.close()
        state.source = nil
        state.wasWoken = false
        let pause = state.backoff.pause(after: error)
        WatchLog.write(failure?.message ?? "\(error)", pace: .after(error), pause: pause, to: logger)
        await parts.cancellation.pause(for: pause)
    }

    private static func isHopeless(_ error: any Error) -> Bool {
        guard let error = error as? StoreError else { return false }
        return [.corrupted, .notAStore, .newerVersion].contains(error.code)
    }
}
