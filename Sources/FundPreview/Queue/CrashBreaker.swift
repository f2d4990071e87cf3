internal import FundCore

/// Turns a family of tools off that crashes again and again: its work waits for a while then.
struct CrashBreaker {
    /// Number of crashes within `window` that opens the breaker.
    static let maxCrashes = 20
    static let window = Duration.seconds(600)
    /// How long a family stays off.
    static let pause = Duration.seconds(600)

    private var crashes: [TrueType.Family: [ContinuousClock.Instant]] = [:]
    private var offUntil: [TrueType.Family: ContinuousClock.Instant] = [:]

    mutating func noteCrash(of family: TrueType.Family, at now: ContinuousClock.Instant) {
        crashes[family, default: []].removeAll { now - $0 > Self.window }
        crashes[family, default: []].append(now)
        guard crashes[family, default: []].count >= Self.maxCrashes else { return }
        crashes[family] = nil
        offUntil[family] = now + Self.pause
    }

    func off(at now: ContinuousClock.Instant) -> Set<TrueType.Family> {
        Set(offUntil.filter { $0.value > now }.keys)
    }
}
