import FundCore

/// How long somebody has to wait after failed logins. Pure.
///
/// Failures are counted for each pair of a name and an address they came from, and a success clears the pair. Three sums of
/// them are judged:
/// - The pair itself: somebody guesses, or mistypes. It waits up to a quarter of an hour.
/// - All names from one address: somebody tries one password with many names. A success with a name of one's own clears
///   nothing of the others' failures. It waits as long.
/// - All addresses of one name: many machines guess. It waits a minute at most: that leaves 1,440 guesses a day, too few for
///   any password that is taken here, and whoever has the right one is not kept out for long.
///
/// The two sums do not count for a pair that succeeded in the last 30 days: nobody can lock a user out of where they usually
/// sign in from, short of sharing the address with them. What needs no password is never judged here: tokens, app
/// passwords and credentials in the cache go on working while somebody guesses.
package struct BackOff: Sendable, Hashable {
    /// Failures that cost nothing; the next one waits 2 s, the one after that 4 s, and so on.
    package struct Rule: Sendable, Hashable {
        package var freeFailures: Int
        package var maxSeconds: Int64

        package init(freeFailures: Int, maxSeconds: Int64) {
            self.freeFailures = freeFailures
            self.maxSeconds = maxSeconds
        }

        /// Seconds that still have to pass; 0 when none.
        func wait(after failures: LoginFailures, now: Int64) -> Int64 {
            guard failures.count > freeFailures else { return 0 }
            let delay = min(maxSeconds, Int64(1) << Int64(min(failures.count - freeFailures, 32)))
            let rest = failures.lastAt + delay - now
            // A failure in the future was noted by a clock that was wrong: it must not lock anybody out until then.
            return rest > 2 * maxSeconds ? 0 : max(0, rest)
        }
    }

    package var pair = Rule(freeFailures: 4, maxSeconds: 900)
    package var address = Rule(freeFailures: 20, maxSeconds: 900)
    package var name = Rule(freeFailures: 20, maxSeconds: 60)

    package init() {}

    func wait(_ history: LoginHistory, now: Int64) -> Int64 {
        let own = pair.wait(after: history.pair, now: now)
        if history.isFamiliar { return own }
        return max(
            own, address.wait(after: history.address, now: now), name.wait(after: history.name, now: now))
    }
}
