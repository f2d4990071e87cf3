package import FundCore

/// The result of a run.
package struct RunSummary: Sendable {
    package var seen = 0
    package var outcomes: [Outcome: Int] = [:]
    package var reasons: [Reason: Int] = [:]
    /// Messages in which another one may stand, see `Defect.otherMessageInside`.
    package var mayHoldOthers = 0
    /// Messages whose bytes could not be read; they stay at their source.
    package var failed = 0
    package var bytes: Int64 = 0
    package var seconds: Double = 0
    /// The run was told to stop before the end of the source.
    package var wasInterrupted = false
    package var timings = StageTimings()

    package init() {}

    /// Number of messages with this outcome.
    package func count(_ outcome: Outcome) -> Int { outcomes[outcome] ?? 0 }

    /// Counts a message.
    package mutating func add(_ event: IngestEvent) {
        seen += 1
        switch event {
        case .stored(let message):
            bytes += message.message.spooled.size
            outcomes[message.outcome, default: 0] += 1
            if message.message.parsed.defects.contains(.otherMessageInside) { mayHoldOthers += 1 }
            if message.outcome != .duplicate, let reason = message.reason { reasons[reason, default: 0] += 1 }
        case .failed: failed += 1
        }
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

/// Limits of a batch, which one durability barrier makes durable. It costs about one fsync(2), however many files.
package struct BatchLimits: Sendable {
    /// Messages in a batch at most: a crash repeats them. The index pages that each has in common with others are
    /// written once a batch; with 256, an eighth more pages.
    package var maxMessages = 512
    /// A batch is committed from so many on where the source has fewer than `maxMessages` left: nothing goes on beside
    /// the commit and the acknowledgement of the last one.
    package var lastMessages = 128
    /// Bytes staged for a batch at most: bounds the dirty pages that the barrier writes, and with them its duration.
    package var maxBytes: Int64 = 64 * 1024 * 1024
    /// Longest time that a staged message waits for the batch to fill.
    package var maxAge: Duration = .milliseconds(250)

    package init() {}
}
