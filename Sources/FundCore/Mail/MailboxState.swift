/// What one run over a mailbox came to.
package struct MailboxRun: Sendable, Hashable {
    /// Seconds since 1970.
    package var startedAt: Timestamp
    /// Seconds, with their fraction.
    package var seconds: Double
    /// Messages by what became of them.
    package var outcomes: [Outcome: Int]
    /// Messages whose bytes could not be had; they stay on the server.
    package var failed: Int
    package var bytes: Int64
    /// Why the run could not be completed, for people and free of secrets; nil when it was.
    package var problem: String?
    /// Messages that are on the server and neither filed nor kept here, as far as the run saw.
    package var waiting: Int
    /// When the oldest of them was first seen or received, seconds since 1970; nil when none waits or it is not known.
    package var oldestWaitingAt: Timestamp?

    package init(
        startedAt: Timestamp, seconds: Double = 0, outcomes: [Outcome: Int] = [:], failed: Int = 0, bytes: Int64 = 0,
        problem: String? = nil, waiting: Int = 0, oldestWaitingAt: Timestamp? = nil
    ) {
        self.startedAt = startedAt
        self.seconds = seconds
        self.outcomes = outcomes
        self.failed = failed
        self.bytes = bytes
        self.problem = problem
        self.waiting = waiting
        self.oldestWaitingAt = oldestWaitingAt
    }
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
    package var consecutiveFailures: Int
    /// See `MailboxRun`.
    package var waiting: Int
    package var oldestWaitingAt: Timestamp?
    /// Over all runs.
    package var totals: [Outcome: Int]
    package var failedMessages: Int
    package var bytes: Int64
    package var runs: Int

    package init(name: String) {
        self.name = name
        consecutiveFailures = 0
        waiting = 0
        totals = [:]
        failedMessages = 0
        bytes = 0
        runs = 0
    }
}
