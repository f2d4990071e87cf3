/// Bytes a second, of the last few seconds.
struct RateMeter: Sendable {
    /// Half-life of the bytes in the rate.
    private static let memory = Duration.seconds(4)
    /// Rates of shorter spans than that say nothing.
    private static let span = Duration.milliseconds(250)

    private var since: ContinuousClock.Instant?
    private var count = 0
    private var smoothed: Double?

    mutating func add(_ bytes: Int, at now: ContinuousClock.Instant) {
        guard let since else {
            self.since = now
            count = bytes
            return
        }
        count += bytes
        let passed = now - since
        guard passed >= Self.span else { return }
        let (rate, weight) = (Double(count) / passed.inSeconds, 1 - 1 / (1 + passed / Self.memory))
        smoothed = smoothed.map { $0 + (rate - $0) * weight } ?? rate
        (self.since, count) = (now, 0)
    }

    /// Nil while nothing is known, and 0 when long nothing came.
    func bytesPerSecond(at now: ContinuousClock.Instant) -> Double? {
        guard let since else { return nil }
        let passed = now - since
        if passed > .seconds(10) { return 0 }
        if let smoothed { return smoothed }
        return passed >= Self.span ? Double(count) / passed.inSeconds : nil
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
