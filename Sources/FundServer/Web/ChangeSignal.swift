internal import FundCore
internal import Synchronization

/// Tells many who wait whether anything changed, with one look at the store for all of them.
final class ChangeSignal: Sendable {
    /// How old an answer may be.
    private static let freshness = Duration.milliseconds(500)

    private let store: any MailLibrary
    private let last = Mutex<(counter: Int64, at: ContinuousClock.Instant)?>(nil)

    init(store: any MailLibrary) { self.store = store }

    func counter() async throws -> Int64 {
        if let last = last.withLock({ $0 }), ContinuousClock.now - last.at < Self.freshness { return last.counter }
        let at = ContinuousClock.now
        let counter = try await store.changeCounter()
        last.withLock { $0 = (counter, at) }
        return counter
    }
}
