/// How long to wait before the next attempt: exponential with full jitter, so that many clients that lost a server at
/// one moment do not all come back at one.
struct Backoff: Sendable, Hashable {
    /// The most that the first failure waits.
    var first = Duration.seconds(1)
    /// The most that any failure waits.
    var most = Duration.seconds(300)

    /// - Parameters:
    ///   - failures: in a row, from 1.
    ///   - asked: what the server asks for; never less than that.
    func delay(after failures: Int, asked: Duration? = nil) -> Duration {
        var random = SystemRandomNumberGenerator()
        return delay(after: failures, asked: asked, using: &random)
    }

    /// Computes a delay with the given source of randomness.
    func delay(
        after failures: Int, asked: Duration? = nil, using random: inout some RandomNumberGenerator
    ) -> Duration {
        // Beyond 2^20 the most is reached with any sensible first.
        let bound = min(most, first * (1 << min(max(failures - 1, 0), 20)))
        let jitter = bound * Double.random(in: 0...1, using: &random)
        guard let asked else { return jitter }
        // Everyone who was told the same time would come at the same time.
        return asked + min(jitter, asked / 4 + .seconds(1))
    }
}
