import FundCore
import FundStore
import Synchronization

/// Queues digests by the configuration as it is then, and counts them.
final class DigestQueue: Sendable {
    private let store: FundStore
    private let live: LiveConfiguration
    private let counts = Mutex<[Digest.Kind: Int]>([:])

    init(_ store: FundStore, _ live: LiveConfiguration) { (self.store, self.live) = (store, live) }

    /// Digests since the process started.
    var queued: [Digest.Kind: Int] { counts.withLock { $0 } }

    /// Queues those that are due.
    func queueDue() async throws {
        let configuration = live.value
        let kinds = try await store.digests.queueDigests(
            DigestSchedule(hour: configuration.digestHour), limits: configuration.smtp?.limits ?? .usual, now: .now)
        counts.withLock { counts in for kind in kinds { counts[kind, default: 0] += 1 } }
    }
}
