import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The limits of letters, and what is left of those that they hold back.
@Suite struct LetterQueueTests {
    private static let start = Timestamp(1_700_000_000)
    private static let day = Duration.seconds(86_400)

    private static func filed(_ range: ClosedRange<Int64>) -> [OutboxCause] {
        range.map { .filed(EmailSummary.ID($0)) }
    }

    private func notes(_ harness: StoreHarness) async throws -> [String] {
        try await harness.letters.filter { $0.state == .dropped }.compactMap(\.note)
    }

    private func queued(_ harness: StoreHarness) async throws -> Int {
        try await harness.letters.count { $0.state == .queued }
    }

    @Test func anEventIsToldOnce() async throws {
        let harness = try await StoreHarness()
        for _ in 0..<2 { try harness.queue(.filed(EmailSummary.ID(1)), at: Self.start) }
        try harness.queue(.filed(EmailSummary.ID(1)), .filedLater(EmailSummary.ID(1)), at: Self.start)
        #expect(try await harness.letterStates == ["filed queued", "filed_later queued"])
        #expect(try await Set(harness.letters.map(\.mark)).count == 2)
    }

    /// One letter a day says why mail is kept, for each reason.
    @Test func aProblemIsToldOnceADay() async throws {
        let harness = try await StoreHarness()
        func keep(_ id: Int64, _ topic: String, at now: Timestamp) throws {
            try harness.queue(.kept(MisrouteRecord.ID(id)), topic: topic, at: now)
        }
        for id in 1...4 as ClosedRange<Int64> { try keep(id, "no_tag", at: Self.start + .seconds(id)) }
        try keep(5, "unknown_tag", at: Self.start)
        #expect(try await harness.letterStates == ["kept queued", "kept dropped", "kept queued"])
        #expect(try await notes(harness).first?.hasSuffix("within a day; 2 more like it") == true)
        // Filed mail is another matter, and so is the next day.
        try harness.queue(.filed(EmailSummary.ID(1)), at: Self.start)
        try keep(6, "no_tag", at: Self.start + Self.day + .seconds(1))
        #expect(try await queued(harness) == 4)
    }

    /// In one transaction and in many.
    @Test(arguments: [true, false]) func aRecipientHasALimit(isOneTransaction: Bool) async throws {
        let harness = try await StoreHarness()
        let causes = Self.filed(1...25)
        if isOneTransaction {
            try harness.queue(causes, at: Self.start)
        } else {
            for cause in causes { try harness.queue(cause, at: Self.start) }
        }
        #expect(try await queued(harness) == 20)
        #expect(
            try await notes(harness)
                == ["not sent: 20 letters to this address within a day are the limit; 4 more like it"])
        // Others have their own.
        try harness.queue(.filed(EmailSummary.ID(26)), to: "bob@example.com", at: Self.start)
        try harness.queue(Self.filed(27...30), at: Self.start + Self.day)
        #expect(try await queued(harness) == 25)
    }

    @Test func allHaveALimit() async throws {
        let harness = try await StoreHarness()
        let limits = OutboxLimits(perDay: 20, perHour: 3)
        for id in 1...5 as ClosedRange<Int64> {
            try harness.queue(.filed(EmailSummary.ID(id)), to: "p\(id)@example.com", at: Self.start, limits: limits)
        }
        #expect(try await queued(harness) == 3)
        #expect(try await notes(harness).count == 2)
        try harness.queue(.filed(EmailSummary.ID(6)), at: Self.start + .seconds(3600), limits: limits)
        #expect(try await queued(harness) == 4)
    }

    /// Letters that were given up leave room, and do not come back by that.
    @Test func aNightOfMailLeavesFewRows() async throws {
        let harness = try await StoreHarness()
        for batch in 0..<10 as Range<Int64> {
            try harness.queue(Self.filed((batch * 500 + 1)...(batch * 500 + 500)), at: Self.start + .seconds(batch))
        }
        #expect(try harness.count("outbox") == 21)
        #expect(try await notes(harness).first?.hasSuffix("; 4979 more like it") == true)
        let first = try #require(try await harness.letters.first)
        try await harness.store.outbox.dropLetter(first.id, actor: "root")
        try harness.queue(Self.filed(6000...6001), at: Self.start)
        #expect(try await queued(harness) == 20)
        #expect(try harness.count("outbox") == 22)
    }

    /// Letters of a time when the clock was a year ahead count for no limit.
    @Test func aClockThatWasAheadHoldsNothingBack() async throws {
        let harness = try await StoreHarness()
        try harness.queue(Self.filed(1...25), at: Self.start + .seconds(365 * 86_400))
        try harness.queue(Self.filed(26...50), at: Self.start)
        #expect(try await queued(harness) == 40)
    }
}
