/// Counts of the events within some time.
package struct HealthSample: Sendable, Hashable {
    /// Messages taken in, by what became of them.
    package var outcomes: [Outcome: Int] = [:]
    /// See `IngestStatistics`.
    package var failedMessages = 0
    package var timeToRow = DurationHistogram.ofMessages
    /// Runs over a mailbox that failed.
    package var failedRuns = 0
    /// Requests that were answered with a status of 500 or more, but those of `/readyz`.
    package var serverErrors = 0
    /// Connections and requests that were refused or cut off.
    package var refusedRequests = 0
    /// The most messages that were on servers and neither filed nor kept.
    package var waiting = 0
    /// The greatest age of the oldest of them, in seconds; 0 when none waited.
    package var lagSeconds: Int64 = 0

    package init() {}

    /// Counters are added up, of the others the greater one counts.
    package static func += (first: inout Self, second: Self) {
        first.outcomes.merge(second.outcomes, uniquingKeysWith: +)
        first.failedMessages += second.failedMessages
        first.timeToRow += second.timeToRow
        first.failedRuns += second.failedRuns
        first.serverErrors += second.serverErrors
        first.refusedRequests += second.refusedRequests
        first.waiting = max(first.waiting, second.waiting)
        first.lagSeconds = max(first.lagSeconds, second.lagSeconds)
    }
}
