import TestSupport
import FundCore
import Testing

@testable import FundStore

@Suite struct HealthRegisterTests {
    /// At the beginning of a week of slots, so that sums below are easy to see.
    private static let start = Timestamp(1_700_006_400)

    private static func sample(filed: Int, waiting: Int = 0, lag: Int64 = 0) -> HealthSample {
        var sample = HealthSample()
        sample.outcomes = [.filed: filed, .duplicate: 1]
        (sample.failedMessages, sample.failedRuns, sample.serverErrors, sample.refusedRequests) = (2, 3, 4, 5)
        sample.timeToRow.note(.milliseconds(20))
        sample.timeToRow.note(.seconds(400))
        (sample.waiting, sample.lagSeconds) = (waiting, lag)
        return sample
    }

    private static func minute(_ number: Int64) -> Timestamp { start + .seconds(number * 60) }

    /// The figures of a slot come back as they were noted, also after the store was closed.
    @Test func keepsFigures() async throws {
        let harness = try await StoreHarness()
        let sample = Self.sample(filed: 7, waiting: 9, lag: 77)
        try await harness.store.administration.note(sample, at: Self.start + .seconds(59))
        try harness.reopen()
        for period in HealthPeriod.allCases {
            let slots = try await harness.store.administration.healthSlots(period, now: Self.minute(1))
            #expect(slots == [HealthSlot(start: Self.start, sample: sample)], "\(period)")
        }
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Counters are added up, of waiting mail the worst moment counts, and a time without a note is missing.
    @Test func addsUpWithinASlot() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.administration
        for (number, waiting) in [(0, 5), (1, 9), (3, 1), (12, 0)] as [(Int64, Int)] {
            try await log.note(
                Self.sample(filed: 10, waiting: waiting, lag: Int64(waiting) * 10), at: Self.minute(number))
        }
        let now = Self.minute(13)
        let minutes = try await log.healthSlots(.hour, now: now)
        #expect(minutes.map(\.start) == [0, 1, 3, 12].map(Self.minute))
        let tens = try await log.healthSlots(.day, now: now)
        #expect(tens.map(\.start) == [0, 10].map(Self.minute))
        #expect(tens.map { $0.sample.outcomes } == [[.filed: 30, .duplicate: 3], [.filed: 10, .duplicate: 1]])
        #expect(tens.map(\.sample.waiting) == [9, 0])
        #expect(tens.map(\.sample.lagSeconds) == [90, 0])
        #expect(tens[0].sample.timeToRow.count == 6)
        #expect(tens[0].sample.serverErrors == 12)
        let hours = try await log.healthSlots(.week, now: now)
        #expect(hours.map { $0.sample.outcomes[.filed] } == [40])
    }

    /// However long it is written: as many rows as slots, and of each period exactly its length is seen.
    @Test func neverGrows() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.administration
        // Every tenth minute of nine days, and then every minute of an hour and a half.
        let last: Int64 = 9 * 1440
        for number in stride(from: 0, through: last, by: 10) {
            try await log.note(Self.sample(filed: 1), at: Self.minute(number))
        }
        for number in last + 1..<last + 90 { try await log.note(Self.sample(filed: 1), at: Self.minute(number)) }
        #expect(try harness.count("health") == 60 + 144 + 168)
        let now = Self.minute(last + 90)
        for period in HealthPeriod.allCases {
            let slots = try await log.healthSlots(period, now: now)
            #expect(slots.count == Int(period.slotCount), "\(period)")
            #expect(slots.first?.start == period.range(now: now).lowerBound)
            #expect(slots.last?.start == period.range(now: now).upperBound)
        }
        #expect(try await log.healthSlots(.hour, now: now).allSatisfy { $0.sample.outcomes[.filed] == 1 })
        #expect(try await log.healthSlots(.week, now: now).dropLast(3).allSatisfy { $0.sample.outcomes[.filed] == 6 })
    }

    /// A slot of another time is never added to, whether that was before or, by a clock that was set back, after.
    @Test func aClockThatIsSetDoesNoHarm() async throws {
        let harness = try await StoreHarness()
        let log = harness.store.administration
        let week = Int64(7 * 1440)
        try await log.note(Self.sample(filed: 1), at: Self.minute(0))
        // A week ahead, in the same slots; and back again.
        try await log.note(Self.sample(filed: 10), at: Self.minute(week))
        #expect(try await log.healthSlots(.hour, now: Self.minute(1)).isEmpty)
        #expect(try await log.healthSlots(.week, now: Self.minute(week + 1)).map { $0.sample.outcomes[.filed] } == [10])
        try await log.note(Self.sample(filed: 100), at: Self.minute(0))
        for period in HealthPeriod.allCases {
            let slots = try await log.healthSlots(period, now: Self.minute(1))
            #expect(slots.map { $0.sample.outcomes[.filed] } == [100], "\(period)")
            #expect(try await log.healthSlots(period, now: Self.minute(week + 1)).isEmpty, "\(period)")
        }
        try await log.note(Self.sample(filed: 1), at: Timestamp(-61))
        #expect(try await log.healthSlots(.hour, now: 0).map(\.start) == [Timestamp(-120)])
    }

    /// Counts that a version with other bounds wrote are left out.
    @Test func leavesOutCountsOfOtherBounds() async throws {
        let harness = try await StoreHarness()
        try await harness.store.administration.note(Self.sample(filed: 3), at: Self.start)
        try harness.store.connection.write("") { try $0.execute("UPDATE health SET to_row = '1,2,x'") }
        let slot = try #require(
            try await harness.store.administration.healthSlots(.hour, now: Self.minute(1)).first)
        #expect(slot.sample.timeToRow == .ofMessages && slot.sample.outcomes[.filed] == 3)
    }

    /// The counts of this process on the way of a message and at the end of a run.
    @Test func statisticsOfThisProcess() async throws {
        let harness = try await StoreHarness()
        let before = harness.store.mail.statistics
        #expect(before == IngestStatistics())
        var late = try harness.message("Subject: a\n\nb")
        late.takenAt = ContinuousClock.now - .seconds(20)
        _ = try await harness.store.mail.commit([try harness.stage(late)])
        try await harness.deliver("Subject: a\n\nb", at: "7/1")
        try await harness.deliver("Subject: c\n\nd", at: "7/2", reason: .noTag)
        var run = MailboxRun(startedAt: Self.start)
        (run.seconds, run.failed, run.problem) = (2, 3, "refused")
        try await harness.store.mail.note(run, of: "funds")
        run.problem = nil
        try await harness.store.mail.note(run, of: "funds")
        let statistics = harness.store.mail.statistics
        #expect(statistics.outcomes == [.filed: 1, .duplicate: 1, .misrouted: 1])
        #expect(statistics.timeToRow.count == 3 && statistics.timeToRow.time >= .seconds(20))
        #expect(statistics.runs.count == 2 && statistics.runs.time == .seconds(4))
        #expect(statistics.failedRuns == 1 && statistics.failedMessages == 6)
        #expect((statistics - statistics).outcomes.values.allSatisfy { $0 == 0 })
    }
}
