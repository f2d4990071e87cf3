/// The state of a mailbox, over all runs.
package struct MailboxState: Sendable, Hashable {
    package var name: String
    /// Address where it was last polled: scheme, user, host, port and folder; nil before the first run.
    package var address: String?
    /// Seconds since 1970; nil before the first.
    package var lastAttemptAt: Timestamp?
    package var lastSuccessAt: Timestamp?
    package var lastErrorAt: Timestamp?
    /// The error of `lastErrorAt`; it may have been overcome since, see `consecutiveFailures`.
    package var lastError: String?
    /// Runs that failed since the last that did not.
    package var consecutiveFailures = 0
    /// Time at which the first of them ended; nil when the last run succeeded.
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
