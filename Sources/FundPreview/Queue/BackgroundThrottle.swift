internal import Synchronization

/// Limits how often background work begins while requests come: in between the processors are free for those.
final class BackgroundThrottle: Sendable {
    /// Between the beginnings of two pieces of work. A photo takes 150 ms of a processor.
    static let pause = Duration.seconds(1)
    /// Without a request for so long, none is expected.
    private static let reading = Duration.seconds(1)

    /// Between the beginnings of two pieces of work, also while other programs keep the processors busy all the time.
    static let longestPause = Duration.seconds(30)

    /// The clock of all pauses.
    let now: @Sendable () -> ContinuousClock.Instant
    private let lastUse = Mutex<ContinuousClock.Instant?>(nil)

    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    func noteUse() { lastUse.withLock { $0 = now() } }

    /// Whether work has waited for so long that it begins on a busy machine, too.
    /// - Parameter last: when background work began last.
    func isOverdue(after last: ContinuousClock.Instant?) -> Bool {
        last.map { now() - $0 >= Self.longestPause } ?? true
    }

    /// Whether more may begin.
    /// - Parameter last: when background work began last.
    func allowsWork(after last: ContinuousClock.Instant?) -> Bool {
        guard let last, let use = lastUse.withLock({ $0 }) else { return true }
        let now = now()
        return now - last >= Self.pause || now - use >= Self.reading
    }
}
