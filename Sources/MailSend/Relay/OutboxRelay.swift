package import FundCore
package import MailConnection
internal import Synchronization

/// Sends the letters of the outbox. Of several processes that run it on a store one is the relay, and another takes its
/// place when that ends. The route may change while it runs.
package final class OutboxRelay: Sendable {
    /// Time between two looks whether another process is the relay still.
    private static let leasePeriod = Duration.seconds(5)
    /// Commits of a second are one reason to look for letters.
    private static let commitPause = Duration.seconds(1)
    private static let longPause = Duration.seconds(3600)

    private struct State {
        /// Nil: letters wait.
        var route: RelayRoute?
        /// Ends the work by the route as it is now.
        var cancellation = Cancellation()
        var isEnding = false
    }

    private let parts: RelayParts
    private let commits: Signal
    private let state: Mutex<State>
    private let ended = Signal()

    /// - Parameters:
    ///   - route: nil as long as no server is known.
    ///   - queueDue: queues the letters that time makes due: called by the process that has the lease, before each look
    ///     for letters.
    ///   - commits: raised when something was committed to the store, by any process.
    ///   - observe: hears what happens, on the task of the relay.
    package init(
        _ register: any OutboxRegister, _ composer: any LetterComposer,
        queueDue: @escaping @Sendable () async throws -> Void = {}, route: RelayRoute?, commits: Signal,
        observe: @escaping @Sendable (RelayEvent) -> Void
    ) {
        parts = RelayParts(register: register, composer: composer, queueDue: queueDue, observe: observe)
        self.commits = commits
        state = Mutex(State(route: route))
    }

    package var status: RelayStatus { parts.board.status }

    /// From now on letters go by this route, after the one under way. A pause ends: the new route may be better.
    ///
    /// - Parameter route: nil: letters wait.
    package func update(_ route: RelayRoute?) {
        state.withLock { state in
            state.cancellation.cancel()
            state.cancellation = Cancellation()
            if state.isEnding { state.cancellation.cancel() }
            state.route = route
        }
        parts.wake.raise()
    }

    /// Ends it, after the letter under way. It cannot run again.
    package func end() {
        state.withLock { state in
            state.isEnding = true
            state.cancellation.cancel()
        }
        ended.raise()
        parts.wake.raise()
    }

    /// Runs until `end`, and then `lastWait` at most until the server has replied to the letter under way: servers may
    /// take minutes.
    package func run(lastWait: Duration) async {
        let finished = Signal()
        let running = Task {
            await run()
            finished.raise()
        }
        _ = try? await ended.count(after: 0)
        end()
        await finished.wait(after: 0, atMost: lastWait)
        running.cancel()
    }

    private func run() async {
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await self.passOnCommits() }
            while true {
                let known = parts.wake.count
                let (route, cancellation, isEnding) = state.withLock { ($0.route, $0.cancellation, $0.isEnding) }
                if isEnding { break }
                if let route {
                    await relay(by: route, until: cancellation)
                } else {
                    parts.board.set(.off)
                    await parts.wake.wait(after: known, atMost: Self.longPause)
                }
            }
            group.cancelAll()
        }
        parts.board.set(.off)
    }

    /// Sends the letters that are due now, unless another process is the relay.
    ///
    /// - Parameters:
    ///   - limit: no letter is begun after this time.
    ///   - cancellation: ends it, after the letter under way; it is cancelled at the limit.
    /// - Returns: the reason why letters that are due were left, in words for people; nil for none.
    package func runOnce(atMost limit: Duration, until cancellation: Cancellation) async -> String? {
        guard let route = state.withLock({ $0.route }), !cancellation.isCancelled else { return nil }
        let limiting = Task { if (try? await Task.sleep(for: limit)) != nil { cancellation.cancel() } }
        defer { limiting.cancel() }
        do {
            guard let lease = try await parts.register.relayLease() else { return nil }
            defer { lease.end() }
            var run = RelayRun(parts, route, cancellation)
            return await run.runOnce()
        } catch {
            return route.advice(error)
        }
    }

    private func relay(by route: RelayRoute, until cancellation: Cancellation) async {
        guard let lease = await lease(route, cancellation) else { return }
        parts.board.set(.ready)
        var run = RelayRun(parts, route, cancellation)
        await run.run()
        lease.end()
    }

    /// Waits until this process is the relay; nil when cancelled.
    private func lease(_ route: RelayRoute, _ cancellation: Cancellation) async -> (any MailboxLease)? {
        var backoff = Backoff()
        var lastWords: String?
        while !cancellation.isCancelled {
            let known = parts.wake.count
            do {
                if let lease = try await parts.register.relayLease() { return lease }
                parts.board.set(.standby)
                await parts.wake.wait(after: known, atMost: Self.leasePeriod)
            } catch {
                let (words, pause) = (route.advice(error), backoff.pause(after: error))
                parts.board.pause(words, until: .now + pause)
                parts.observe(.paused(words: words, pause: pause, isKnown: words == lastWords))
                lastWords = words
                await cancellation.pause(for: pause)
            }
        }
        return nil
    }

    /// Wakes the relay when something was committed: letters are written in transactions of others.
    private func passOnCommits() async {
        await parts.wake.follow(commits, pausing: Self.commitPause)
    }
}
