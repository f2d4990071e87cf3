/// What one run over a mailbox came to.
package struct MailboxRun: Sendable, Hashable {
    package var startedAt: Timestamp
    /// Seconds, with their fraction.
    package var seconds: Double = 0
    /// Messages by what became of them.
    package var outcomes: [Outcome: Int] = [:]
    /// Messages whose bytes could not be had; they stay on the server.
    package var failed = 0
    package var bytes: Int64 = 0
    /// Why the run could not be completed, for people and free of secrets; nil when it was.
    package var problem: String?
    /// Messages that are on the server and neither filed nor kept here, as far as the run saw.
    package var waiting = 0
    /// When the oldest of them was first seen or received; nil when none waits or it is not known.
    package var oldestWaitingAt: Timestamp?

    package init(startedAt: Timestamp) { self.startedAt = startedAt }
}

/// How a mailbox has been doing, over all runs.
package struct MailboxState: Sendable, Hashable {
    package var name: String
    /// Where it was last polled: scheme, user, host, port and folder; nil before the first run.
    package var address: String?
    /// Seconds since 1970; nil before the first.
    package var lastAttemptAt: Timestamp?
    package var lastSuccessAt: Timestamp?
    package var lastErrorAt: Timestamp?
    /// Of `lastErrorAt`; it may have been overcome since, see `consecutiveFailures`.
    package var lastError: String?
    /// Runs that failed since the last that did not.
    package var consecutiveFailures = 0
    /// When the first of them ended; nil when the last run succeeded.
    package var failingSince: Timestamp?
    /// See `MailboxRun`.
    package var waiting = 0
    package var oldestWaitingAt: Timestamp?
    /// Over all runs.
    package var totals: [Outcome: Int] = [:]
    package var failedMessages = 0
    package var bytes: Int64 = 0
    package var runs = 0

    package init(name: String) { self.name = name }
}

/// The certificate of a mail server, as a connection saw it.
package struct SeenCertificate: Sendable, Hashable {
    package var expiresAt: Timestamp
    package var seenAt: Timestamp

    package init(expiresAt: Timestamp, seenAt: Timestamp) {
        (self.expiresAt, self.seenAt) = (expiresAt, seenAt)
    }

    /// With less time left a certificate is to be renewed.
    package static let leastTime = Duration.seconds(14 * 86_400)
}

/// The access token (RFC 6749 §1.4) that a login at a mail server used, without the token itself.
package struct SeenToken: Sendable, Hashable {
    /// Nil when it is not known.
    package var expiresAt: Timestamp?
    package var fetchedAt: Timestamp
    /// Whether a command fetches the next one: then an expiry within the hour is as it should be. A token in a file or
    /// an environment variable stays the same until another program or a person replaces it.
    package var isRenewed: Bool

    package init(expiresAt: Timestamp?, fetchedAt: Timestamp, isRenewed: Bool) {
        (self.expiresAt, self.fetchedAt, self.isRenewed) = (expiresAt, fetchedAt, isRenewed)
    }

    /// False when it is not known.
    package func isExpired(at now: Timestamp) -> Bool { expiresAt.map { $0 <= now } ?? false }
}
