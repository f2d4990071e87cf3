internal import Synchronization

/// A monotonic clock that stands still until a test moves it.
package final class ManualClock: Sendable {
    private let time = Mutex(ContinuousClock.now)

    package init() {}

    package var now: ContinuousClock.Instant { time.withLock { $0 } }

    package func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
