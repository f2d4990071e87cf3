/// Counts of the mail that this process took in since it opened the store.
package struct IngestStatistics: Sendable, Hashable {
    /// Messages by what became of them, counted when their rows are durable.
    package var outcomes: [Outcome: Int] = [:]
    /// Messages whose bytes could not be had, counted at the end of a run.
    package var failedMessages = 0
    /// Times from the moment when a run took a message from its source, before its bytes are fetched, until its row was
    /// durable. How long a message waited on its server before that is not part of it, see
    /// `MailboxRun.oldestWaitingAt`.
    package var timeToRow = DurationHistogram.ofMessages
    /// Durations of runs over mailboxes, the failed ones included.
    package var runs = DurationHistogram.ofRuns
    package var failedRuns = 0

    package init() {}

    /// The difference to `second`, which is an earlier state of `first`.
    package static func - (first: Self, second: Self) -> Self {
        var difference = first
        difference.outcomes.merge(second.outcomes) { $0 - $1 }
        difference.failedMessages -= second.failedMessages
        difference.timeToRow = first.timeToRow - second.timeToRow
        difference.runs = first.runs - second.runs
        difference.failedRuns -= second.failedRuns
        return difference
    }
}
