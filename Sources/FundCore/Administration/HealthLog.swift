/// How the server has been doing, in figures of the last hour, day and week.
package protocol HealthLog: Sendable {
    /// Adds what happened in a minute to its slot of each period. A slot that holds another time is overwritten, so the
    /// log never grows.
    /// - Parameter time: when the minute began.
    func note(_ sample: HealthSample, at time: Timestamp) async throws
    /// The slots of a period that were measured, oldest first. Times in which nothing ran are missing.
    /// - Parameter now: the newest slot is that of a minute before, since a minute is noted when it is over.
    func healthSlots(_ period: HealthPeriod, now: Timestamp) async throws -> [HealthSlot]
}

/// How far back figures go. Raw values stand in addresses.
package enum HealthPeriod: String, Sendable, Hashable, CaseIterable {
    case hour, day, week

    /// Seconds that one slot stands for.
    package var slotSeconds: Int64 {
        switch self {
        case .hour: 60
        case .day: 600
        case .week: 3600
        }
    }

    /// How many slots are kept: as many as make up the period.
    package var slotCount: Int64 {
        switch self {
        case .hour: 60
        case .day: 144
        case .week: 168
        }
    }

    /// When the slot of this time begins, in whole slots since 1970.
    package func slotStart(_ time: Timestamp) -> Timestamp {
        let remainder = time.rawValue % slotSeconds
        return Timestamp(time.rawValue - (remainder < 0 ? remainder + slotSeconds : remainder))
    }

    /// When the oldest and the newest slot begin.
    package func range(now: Timestamp) -> ClosedRange<Timestamp> {
        let newest = slotStart(now - .seconds(HealthPeriod.hour.slotSeconds))
        return (newest - .seconds((slotCount - 1) * slotSeconds))...newest
    }
}

/// What happened within some time.
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

/// The figures of one slot of a period.
package struct HealthSlot: Sendable, Hashable {
    package var start: Timestamp
    package var sample: HealthSample

    package init(start: Timestamp, sample: HealthSample) {
        self.start = start
        self.sample = sample
    }
}
