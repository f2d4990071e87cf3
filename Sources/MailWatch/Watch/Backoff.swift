internal import MailConnection
internal import FundCore

/// How long to leave a mailbox alone after a failure: longer with each that follows.
struct Backoff: Sendable {
    /// From the first to the longest pause.
    struct Pace: Sendable, Hashable {
        var first: Duration
        var longest: Duration

        /// Servers that are restarted are back in seconds; those that are down are asked every five minutes.
        static let temporary = Pace(first: .seconds(1), longest: .seconds(300))
        /// Only a person can put it right, and too many wrong logins lock an account.
        static let needsPerson = Pace(first: .seconds(30), longest: .seconds(900))
        /// Once there is space again, mail is to be fetched soon.
        static let diskFull = Pace(first: .seconds(1), longest: .seconds(60))

        static func after(_ error: any Error) -> Pace {
            guard let error = error as? any OperationalError else { return temporary }
            if error.condition == .outOfSpace { return diskFull }
            if (error as? ConnectionError)?.loginHint == .busyOrWrongPassword { return needsPerson }
            return error.isTemporary ? temporary : needsPerson
        }
    }

    /// Upper bound for a delay that a server asks for.
    static let longestGranted = Duration.seconds(3600)

    /// Factor of each pause, so that the mailboxes of one server do not all come back at the same moment.
    static let jitter = 0.9...1.1

    /// Failures since the last success.
    private(set) var failures = 0

    mutating func reset() { failures = 0 }

    /// The pause after this failure. The delay that the server asks for is granted in full, up to an hour.
    mutating func pause(
        after error: any Error, jitter: Double = .random(in: Backoff.jitter)
    ) -> Duration {
        let pace = Pace.after(error)
        let doublings = min(failures, 16)
        failures += 1
        let pause = min(pace.first * (1 << doublings), pace.longest) * jitter
        guard let asked = (error as? ConnectionError)?.retryAfter else { return pause }
        return max(pause, min(asked, Self.longestGranted) * max(jitter, 1))
    }
}
