internal import Synchronization

/// While people use the server, work that nobody waits for begins a few times a second at most: between two pieces the
/// processors are theirs.
final class Courtesy: Sendable {
    /// Between the beginnings of two pieces of work.
    static let pause = Duration.milliseconds(250)
    /// So long after a request the next one is expected.
    private static let reading = Duration.seconds(1)

    private let lastUse = Mutex<ContinuousClock.Instant?>(nil)

    func noteUse(at now: ContinuousClock.Instant = .now) { lastUse.withLock { $0 = now } }

    /// Whether more may begin.
    /// - Parameter last: when the last piece of such work began.
    func allowsWork(after last: ContinuousClock.Instant?, at now: ContinuousClock.Instant = .now) -> Bool {
        guard let last, let use = lastUse.withLock({ $0 }) else { return true }
        return now - last >= Self.pause || now - use >= Self.reading
    }
}
