package import FundCore

/// Counts of the making of previews since the process started.
package struct PreviewStatistics: Sendable, Hashable {
    /// Outcomes of pieces of work.
    package struct Outcome: Sendable, Hashable {
        package var kind: RenditionKind
        /// Nil for what was made.
        package var failure: RenditionFailure?

        package init(kind: RenditionKind, failure: RenditionFailure?) {
            self.kind = kind
            self.failure = failure
        }
    }

    package var outcomes: [Outcome: Int] = [:]
    /// Time that pieces of work took, waiting not counted.
    package var durations: [RenditionKind: DurationHistogram] = [:]
    /// Requests for what was there, and for what was not.
    package var hits = 0
    package var misses = 0
    /// Requests that ended before it was there.
    package var timeouts = 0
    package var evictions = 0
    /// Verdicts of the scanner, by their words.
    package var verdicts: [String: Int] = [:]
    /// Why the scanner gives no verdicts; nil where it does, or was not asked.
    package var scannerProblem: String?
    /// Pieces of work under way.
    package var running = 0

    package init() {}

    mutating func note(_ kind: RenditionKind, _ failure: RenditionFailure?, took time: Duration) {
        outcomes[Outcome(kind: kind, failure: failure), default: 0] += 1
        durations[kind, default: DurationHistogram(Self.bounds)].note(time)
    }

    mutating func note(_ verdict: Verdict) {
        verdicts[verdict.word, default: 0] += 1
        scannerProblem = nil
    }

    /// In seconds.
    private static let bounds = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60]
}
