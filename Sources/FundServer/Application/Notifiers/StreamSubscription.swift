internal import FundCore
internal import Synchronization

/// Wakes one stream of events.
final class StreamSubscription: Sendable {
    let user: User.ID
    private let signal = Signal()
    private let hasNews = Atomic<Bool>(true)
    private let isDue = Atomic<Bool>(false)
    private let isStopped = Atomic<Bool>(false)

    init(_ user: User.ID) { self.user = user }

    // MARK: For the stream

    /// Whether there may be news since this was asked last; true the first time.
    func takeNews() -> Bool { hasNews.exchange(false, ordering: .acquiringAndReleasing) }

    /// Whether a heartbeat is due since this was asked last.
    func takeHeartbeat() -> Bool { isDue.exchange(false, ordering: .acquiringAndReleasing) }

    /// Whether the server is being stopped.
    var hasEnded: Bool { isStopped.load(ordering: .acquiring) }

    /// How often the stream was woken. To be read before anything else is asked.
    var count: Int { signal.count }

    /// Waits until `count` is greater than `known`, or the task is cancelled.
    func wait(after known: Int) async { _ = try? await signal.count(after: known) }

    func end() {
        isStopped.store(true, ordering: .releasing)
        signal.raise()
    }

    // MARK: For what wakes it

    /// There may be news.
    func tell() {
        hasNews.store(true, ordering: .releasing)
        signal.raise()
    }

    /// Something else changed, perhaps the account of the user.
    func wake() { signal.raise() }

    func beat() {
        isDue.store(true, ordering: .releasing)
        signal.raise()
    }
}
