internal import FundCore

/// The exponential back-off of a client after failures of its server.
package struct Backoff: Sendable {
    /// The range of the pauses.
    package struct Pace: Sendable, Hashable {
        package var first: Duration
        package var longest: Duration

        /// Servers that are restarted are back in seconds; those that are down are asked every five minutes.
        package static let temporary = Pace(first: .seconds(1), longest: .seconds(300))
        /// Only a person can put it right, and too many wrong logins lock an account.
        package static let needsPerson = Pace(first: .seconds(30), longest: .seconds(900))
        /// Once there is space again, mail is to go on soon.
        static let diskFull = Pace(first: .seconds(1), longest: .seconds(60))

        /// The pace after a failure, by whether waiting mends it.
        package static func after(_ error: any Error) -> Pace {
            guard let error = error as? any OperationalError else { return temporary }
            if error.condition == .outOfSpace { return diskFull }
            if (error as? ConnectionError)?.loginHint == .busyOrWrongPassword { return needsPerson }
            return error.isTemporary ? temporary : needsPerson
        }
    }

    /// Upper bound for a delay that a server asks for.
    static let longestGranted = Duration.seconds(3600)

    /// Factor of each pause, so that those who share a server do not all come back at the same moment.
    package static let jitter = 0.9...1.1

    /// Failures since the last success.
    package private(set) var failures = 0

    package init() {}

    /// Begins anew, after a success.
    package mutating func reset() { failures = 0 }

    /// The pause after this failure. The delay that the server asks for is granted in full, up to an hour.
    package mutating func pause(
        after error: any Error, jitter: Double = .random(in: Backoff.jitter)
    ) -> Duration {
        let pace = Pace.after(error)
        let doublings = min(failures, 16)
        failures += 1
        let pause = min(pace.first * (1 << doublings), pace.longest) * jitter
        guard let asked = (error as? any DelayedError)?.retryAfter else { return pause }
        return max(pause, min(asked, Self.longestGranted) * max(jitter, 1))
    }
}
