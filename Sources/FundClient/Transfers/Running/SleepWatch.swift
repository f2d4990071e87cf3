/// Sees that the machine slept: one clock went on meanwhile, and the other did not.
struct SleepWatch: Sendable {
    /// Shorter sleeps change nothing: connections outlive them.
    private static let threshold = Duration.seconds(5)

    private var awake = SuspendingClock.now
    private var always = ContinuousClock.now

    /// Since it was asked last.
    mutating func hasSlept() -> Bool {
        let (awake, always) = (SuspendingClock.now, ContinuousClock.now)
        defer { (self.awake, self.always) = (awake, always) }
        return (always - self.always) - (awake - self.awake) > Self.threshold
    }
}
