/// Tells work on which bytes flow from work that holds its place for nothing.
package struct DrivePace: Sendable {
    /// Time without a byte from or to a store after which a process is ended.
    package static let silentSeconds = 75.0
    /// Least rate over `rateSeconds`, in bytes.
    package static let leastBytes = 64 << 10
    package static let rateSeconds = 300.0

    package var silentSeconds: Double
    package var rateSeconds: Double
    package let leastBytes: Int
    private var heardAt: ContinuousClock.Instant?
    private var heard = 0
    private var since: ContinuousClock.Instant?
    private var before = 0

    /// - Parameters:
    ///   - silentSeconds: the longest time without a byte.
    ///   - rateSeconds: the time in which `leastBytes` have to come.
    package init(
        silentSeconds: Double = DrivePace.silentSeconds, rateSeconds: Double = DrivePace.rateSeconds,
        leastBytes: Int = DrivePace.leastBytes
    ) {
        (self.silentSeconds, self.rateSeconds, self.leastBytes) = (silentSeconds, rateSeconds, leastBytes)
    }

    /// Whether the pace suffices so far.
    /// - Parameter count: all bytes so far.
    package mutating func isEnough(_ count: Int, at now: ContinuousClock.Instant) -> Bool {
        if heardAt == nil || count != heard { (heardAt, heard) = (now, count) }
        if let heardAt, heardAt.duration(to: now).seconds > silentSeconds { return false }
        guard let since else {
            (since, before) = (now, count)
            return true
        }
        guard since.duration(to: now).seconds > rateSeconds else { return true }
        defer { (self.since, before) = (now, count) }
        return count - before >= leastBytes
    }
}
