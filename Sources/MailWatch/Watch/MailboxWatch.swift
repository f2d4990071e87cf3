package import MailConnection
package import FundCore
internal import Synchronization

/// Keeps mailboxes polled, for `watch` and `serve`. Each mailbox has a loop of its own, so that one that hangs does not
/// slow another. Mailboxes and rules may change while it runs.
package final class MailboxWatch: MailboxPolling {
    /// How long the task that passes on the end of the program sleeps at a time.
    private static let longPause = Duration.seconds(3600)

    /// Their rules are those of the start; loops run by those of the last `update`.
    private let parts: PollingParts

    private struct State {
        var rules: PollingRules
        var mailboxes: [MailboxConfiguration]
        /// By the name of the mailbox. An entry stays until its loop has ended, also when it is gone or changed.
        var loops: [String: Loop] = [:]
        var isEnding = false
    }

    private struct Loop {
        /// By what it runs; nil between two runs.
        var mailbox: MailboxConfiguration?
        var activity = LoopActivity()
    }

    private let state: Mutex<State>
    /// One element for each change of `state`.
    private let updates: AsyncStream<Void>
    private let updated: AsyncStream<Void>.Continuation

    private let seenCertificates = LastSeen<SeenCertificate>()
    private let seenTokens = LastSeen<SeenToken>()

    package init(_ parts: PollingParts, _ mailboxes: [MailboxConfiguration]) {
        var parts = parts
        parts.onCertificate = { [seenCertificates] mailbox, expiry in
            seenCertificates.note(SeenCertificate(expiresAt: expiry, seenAt: .now), of: mailbox)
        }
        parts.onToken = { [seenTokens] mailbox, token in seenTokens.note(token, of: mailbox) }
        self.parts = parts
        state = Mutex(State(rules: parts.rules, mailboxes: mailboxes))
        (updates, updated) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        updated.yield()
    }

    /// Ends the watch once it is cancelled.
    package var cancellation: Cancellation { parts.cancellation }

    package var certificates: [String: SeenCertificate] { seenCertificates.all }

    package var tokens: [String: SeenToken] { seenTokens.all }

    package var mailboxes: [String] { state.withLock { $0.mailboxes.map(\.name) } }

    /// From now on these mailboxes are watched, by these rules. Loops whose mailbox is gone or has changed finish and
    /// acknowledge what they have begun; the others go on undisturbed, unless the rules changed.
    package func update(_ rules: PollingRules, _ mailboxes: [MailboxConfiguration]) {
        state.withLock { state in
            let haveRulesChanged = rules != state.rules
            state.rules = rules
            state.mailboxes = mailboxes
            for (name, loop) in state.loops
            where haveRulesChanged || loop.mailbox != mailboxes.first(where: { $0.name == name }) {
                loop.activity.cancellation.cancel()
            }
        }
        updated.yield()
    }

    /// Has a run over this mailbox begin now, instead of after the wait or the pause between two runs. A run under way
    /// is never broken off: what it does is what was asked for. Nil for a mailbox that is not watched.
    package func pollNow(_ name: String) -> PollStart? {
        state.withLock { state in
            guard !state.isEnding, state.mailboxes.contains(where: { $0.name == name }) else { return nil }
            // Without a loop there is one in a moment, which begins with a run.
            return state.loops[name]?.activity.endWait() ?? .begun
        }
    }

    /// Runs until `cancellation` is cancelled; then what was begun is finished and acknowledged, and it returns. Throws
    /// only when the store is damaged in a way that no waiting mends; then it has cancelled `cancellation`.
    package func run() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            group.addTask { [self] in
                while await cancellation.pause(for: Self.longPause) {}
                end()
            }
            for await _ in updates {
                for name in namesWithoutLoop() {
                    group.addTask { [self] in
                        do { try await loop(over: name) } catch {
                            cancellation.cancel()
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
            for loop in state.loops.values { loop.activity.cancellation.cancel() }
        }
        updated.finish()
    }

    /// Mailboxes that had no loop; each is registered with one.
    private func namesWithoutLoop() -> [String] {
        state.withLock { state in
            let names = state.isEnding ? [] : state.mailboxes.map(\.name).filter { state.loops[$0] == nil }
            for name in names { state.loops[name] = Loop() }
            return names
        }
    }

    /// Runs as long as there is a mailbox of this name.
    private func loop(over name: String) async throws {
        while let watched = next(name) { try await watched.run() }
    }

    /// The mailbox by the rules of now; nil when its loop is to end.
    private func next(_ name: String) -> WatchedMailbox? {
        state.withLock { state in
            guard !state.isEnding, let mailbox = state.mailboxes.first(where: { $0.name == name }) else {
                state.loops[name] = nil
                return nil
            }
            // Its login may be another one now, by a password.
            seenTokens.note(nil, of: name)
            let loop = Loop(mailbox: mailbox)
            state.loops[name] = loop
            var parts = parts
            (parts.rules, parts.cancellation) = (state.rules, loop.activity.cancellation)
            return WatchedMailbox(mailbox, parts, loop.activity)
        }
    }
}

/// Values that the last connections used or saw, by mailbox.
private final class LastSeen<Value: Sendable>: Sendable {
    private let values = Mutex<[String: Value]>([:])

    var all: [String: Value] { values.withLock { $0 } }

    /// - Parameter value: nil forgets.
    func note(_ value: Value?, of mailbox: String) { values.withLock { $0[mailbox] = value } }
}
