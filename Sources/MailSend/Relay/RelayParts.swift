internal import FundCore
internal import Synchronization

/// The parts that the relay works with, by whatever route.
struct RelayParts: Sendable {
    var register: any OutboxRegister
    var composer: any LetterComposer
    /// Queues the letters that time makes due, before each look for letters.
    var queueDue: @Sendable () async throws -> Void = {}
    /// Raised when letters may be due, and when the relay is to do something else.
    var wake = Signal()
    var board = RelayBoard()
    var observe: @Sendable (RelayEvent) -> Void
}

/// The status of the relay, which others look at.
final class RelayBoard: Sendable {
    private let state = Mutex(RelayStatus())

    var status: RelayStatus { state.withLock { $0 } }

    func set(_ condition: RelayStatus.Condition) { state.withLock { $0.condition = condition } }

    func pause(_ words: String, until end: Timestamp) {
        state.withLock { state in
            state.condition = .paused(words: words, until: end)
            state.pauses += 1
        }
    }

    func note(maxMessageBytes: Int?) { state.withLock { $0.maxMessageBytes = maxMessageBytes } }

    func count(_ result: OutboxResult) { state.withLock { $0.results[result.kind, default: 0] += 1 } }
}
