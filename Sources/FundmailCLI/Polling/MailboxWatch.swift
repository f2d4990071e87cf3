import MailFetch
import MailWatch
import Synchronization

/// Keeps mailboxes polled: the daemon, or a part of a larger one. Each mailbox has a loop of its own, so that one that hangs
/// does not slow another. Which mailboxes there are, and by which rules, may change while it runs. Whoever runs it holds the run
/// lock.
final class MailboxWatch: Sendable {
    /// How long the task that passes on the end of the program sleeps at a time.
    private static let longPause = Duration.seconds(3600)

    /// Its configuration is that of the start; loops run by that of the last `update`.
    let parts: PollingParts

    private struct State {
        var configuration: Configuration
        var mailboxes: [MailboxConfiguration]
        /// Mailboxes that have a loop. It is theirs until it has ended, also when its mailbox is gone or has changed.
        var loops: [String: Loop] = [:]
        var isEnding = false
    }

    private struct Loop {
        /// By what it runs; nil between two runs.
        var mailbox: MailboxConfiguration?
        var cancellation = Cancellation()
    }

    private let state: Mutex<State>
    /// One element for each change of `state`.
    private let updates: AsyncStream<Void>
    private let updated: AsyncStream<Void>.Continuation

    init(_ parts: PollingParts, _ mailboxes: [MailboxConfiguration]) {
        self.parts = parts
        state = Mutex(State(configuration: parts.configuration, mailboxes: mailboxes))
        (updates, updated) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        updated.yield()
    }

    /// From now on these mailboxes are watched, by these rules. Loops whose mailbox is gone or has changed finish and acknowledge
    /// what they have begun; those of mailboxes that stay as they are go on undisturbed, unless rules changed that all share.
    func update(_ configuration: Configuration, _ mailboxes: [MailboxConfiguration]) {
        state.withLock { state in
            let isShared =
                configuration.routing != state.configuration.routing
                || configuration.limits != state.configuration.limits
            state.configuration = configuration
            state.mailboxes = mailboxes
            for (name, loop) in state.loops
            where isShared || loop.mailbox != mailboxes.first(where: { $0.name == name }) {
                loop.cancellation.cancel()
            }
        }
        updated.yield()
    }

    /// Runs until `parts.cancellation` is cancelled; then what was begun is finished and acknowledged, and it returns. Throws
    /// only when the store is damaged in a way that no waiting mends; then it has cancelled `parts.cancellation`.
    func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { [self] in
                while await parts.cancellation.pause(for: Self.longPause) {}
                end()
            }
            for await _ in updates {
                for name in namesWithoutLoop() {
                    group.addTask { [self] in
                        do { try await loop(over: name) } catch {
                            parts.cancellation.cancel()
                            throw error
                        }
                    }
                }
            }
        }
    }

    private func end() {
        state.withLock { state in
            state.isEnding = true
            for loop in state.loops.values { loop.cancellation.cancel() }
        }
        updated.finish()
    }

    /// Each has a loop from now on.
    private func namesWithoutLoop() -> [String] {
        state.withLock { state in
            let names = state.isEnding ? [] : state.mailboxes.map(\.name).filter { state.loops[$0] == nil }
            for name in names { state.loops[name] = Loop() }
            return names
        }
    }

    /// As long as there is a mailbox of this name.
    private func loop(over name: String) async throws {
        while let watched = next(name) { try await watched.run() }
    }

    /// By the rules as they are now; nil when it is over, and the loop with it.
    private func next(_ name: String) -> WatchedMailbox? {
        state.withLock { state in
            guard !state.isEnding, let mailbox = state.mailboxes.first(where: { $0.name == name }) else {
                state.loops[name] = nil
                return nil
            }
            let loop = Loop(mailbox: mailbox)
            state.loops[name] = loop
            var parts = parts
            (parts.configuration, parts.cancellation) = (state.configuration, loop.cancellation)
            return WatchedMailbox(mailbox, parts)
        }
    }
}
