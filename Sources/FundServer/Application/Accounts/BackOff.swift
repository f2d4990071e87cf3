import FundCore

/// The delay after failed logins. A pure function of the login history.
///
/// Failures are counted for each pair of a name and a client address, and a success clears the pair. Three sums are
/// judged:
/// - The pair itself, for guesses and typing errors: it waits up to 15 minutes.
/// - All names from one address, for one password tried with many names. A success with one name does not clear the
///   failures of the others. It waits up to 15 minutes.
/// - All addresses of one name, for guesses from many machines. It waits up to one minute: that allows 1,440 guesses a
///   day, too few for any password that `Password.problem` accepts, and does not keep the owner out for long.
///
/// The last two sums do not apply to a pair that succeeded within the last 30 days, nor to a browser with a session of
/// the user that has ended, so that a user cannot be locked out of where they usually sign in from, except by a client
/// with the same address. Tokens, app passwords and cached
/// credentials need no password check and are not affected.
struct BackOff: Sendable, Hashable {
    /// The failures up to `freeFailures` cause no delay, the next one 2 s, and each further one twice the delay before.
    struct Rule: Sendable, Hashable {
        var freeFailures: Int
        var maxSeconds: Int64

        /// Seconds left to wait; 0 when none.
        func wait(after failures: LoginFailures, now: Timestamp) -> Int64 {
            guard failures.count > freeFailures, let lastAt = failures.lastAt else { return 0 }
            let delay = min(maxSeconds, Int64(1) << Int64(min(failures.count - freeFailures, 32)))
            let rest = (lastAt + .seconds(delay) - now).components.seconds
            // A failure in the future was recorded while the clock was wrong: it must not lock a user out until then.
            return rest > 2 * maxSeconds ? 0 : max(0, rest)
        }
    }

    var pair = Rule(freeFailures: 4, maxSeconds: 900)
    var address = Rule(freeFailures: 20, maxSeconds: 900)
    var name = Rule(freeFailures: 20, maxSeconds: 60)

    /// Rules for codes of six digits, which a guess meets once in 333,000 times: a client with the password has some
    /// dozens of guesses a day, from however many machines.
    static let codes = BackOff(
        pair: Rule(freeFailures: 4, maxSeconds: 3600), address: Rule(freeFailures: 20, maxSeconds: 900),
        name: Rule(freeFailures: 10, maxSeconds: 3600))

    func wait(_ history: LoginHistory, now: Timestamp) -> Int64 {
        let own = pair.wait(after: history.pair, now: now)
        if history.isFamiliar { return own }
        return max(own, address.wait(after: history.address, now: now), name.wait(after: history.name, now: now))
    }
}
