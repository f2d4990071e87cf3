package import FundCore

/// The result of a run.
package struct RunSummary: Sendable {
    package var seen = 0
    package var outcomes: [Outcome: Int] = [:]
    package var reasons: [Reason: Int] = [:]
    /// Messages whose bytes could not be read; they stay at their source.
    package var failed = 0
    package var bytes: Int64 = 0
    package var seconds: Double = 0
    /// The run was told to stop before the end of the source.
    package var wasInterrupted = false
    package var timings = StageTimings()

    package init() {}

    package func count(_ outcome: Outcome) -> Int { outcomes[outcome] ?? 0 }

    mutating func add(_ message: StoredMessage) {
        seen += 1
        bytes += message.message.spooled.size
        outcomes[message.outcome, default: 0] += 1
        if message.outcome != .duplicate, let reason = message.reason { reasons[reason, default: 0] += 1 }
    }
}

/// Time spent in each stage, summed over all threads.
package struct StageTimings: Sendable {
    package var spool: Duration = .zero
    package var parse: Duration = .zero
    package var route: Duration = .zero
    package var stage: Duration = .zero
    package var commit: Duration = .zero
    package var acknowledge: Duration = .zero

    static func += (sum: inout StageTimings, other: StageTimings) {
        sum.spool += other.spool
        sum.parse += other.parse
        sum.route += other.route
        sum.stage += other.stage
        sum.commit += other.commit
        sum.acknowledge += other.acknowledge
    }
}

/// Progress of a run, reported by one task at a time.
package enum IngestEvent: Sendable {
    case stored(StoredMessage)
    /// The bytes could not be read; the message stays at its source.
    case failed(SourceReference, any Error)
}

/// A run that failed before its end. What `summary` counts is durable.
package struct IngestError: Error, Sendable {
    package var summary: RunSummary
    package var underlying: any Error
}
