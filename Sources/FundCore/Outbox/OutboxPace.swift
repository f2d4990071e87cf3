/// The retry policy for a letter that a server does not take for now (RFC 5321 §4.5.4.1). Attempts are
/// counted, not the time since the first: a clock that was wrong, or a machine that was off, ends no letter.
package enum OutboxPace {
    private static let pauses: [Duration] = [.seconds(60), .seconds(300), .seconds(900), .seconds(3600)]
    /// The pause after all further attempts. No letter is due later than that.
    package static let longestPause = Duration.seconds(4 * 3600)
    private static let givesUpAfter = Duration.seconds(2 * 86400)

    /// The number of the last attempt: a pause after it would end more than two days after the first.
    package static let maxAttempts: Int = {
        var (attempt, time) = (1, Duration.zero)
        while time + pause(after: attempt) <= givesUpAfter {
            time += pause(after: attempt)
            attempt += 1
        }
        return attempt
    }()

    /// The pause after the attempt with this number, 1 for the first.
    package static func pause(after attempt: Int) -> Duration {
        pauses.indices.contains(attempt - 1) ? pauses[attempt - 1] : longestPause
    }
}
