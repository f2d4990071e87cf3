import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The letters as the relay takes them.
@Suite struct OutboxRelayTests {
    private static let start = Timestamp(1_700_000_000)

    private func filed(_ id: Int64) -> OutboxCause { .filed(EmailSummary.ID(id)) }

    @Test func lettersComeInTheirOrder() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        #expect(try await outbox.nextDue(now: Self.start) == nil)
        try harness.queue(filed(2), at: Self.start + .seconds(5))
        try harness.queue(filed(1), at: Self.start)
        #expect(try await outbox.nextDue(now: Self.start - .seconds(60)) == Self.start)
        #expect(try await outbox.nextLetter(after: nil, now: Self.start - .seconds(1)) == nil)
        let now = Self.start + .seconds(10)
        let first = try #require(try await outbox.nextLetter(after: nil, now: now))
        #expect(first.cause == filed(1) && first.state == .sending && first.attempts == 1 && first.changedAt == now)
        #expect(first.dueAt == nil)
        #expect(try await outbox.letter(first.id) == first)
        let second = try #require(
            try await outbox.nextLetter(after: (letter: first.id, outcome: .sent("250 ok\u{1B}[31m")), now: now))
        #expect(second.cause == filed(2))
        var done = try await outbox.letter(first.id)
        #expect(done.state == .sent && done.note == "250 ok[31m" && done.mark == first.mark)
        #expect(try await outbox.nextLetter(after: (letter: second.id, outcome: .failed("550 no")), now: now) == nil)
        done = try await outbox.letter(second.id)
        #expect(done.state == .failed && done.note == "550 no")
        #expect(try await outbox.nextDue(now: now) == nil)
    }

    /// A letter that the server does not take for now is tried for two days.
    @Test func aLetterIsTriedForTwoDays() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue(filed(1), at: Self.start)
        var (now, pauses) = (Self.start, [Int64]())
        while let letter = try await outbox.nextLetter(after: nil, now: now) {
            try await outbox.note(.deferred("451 later"), of: letter.id, now: now)
            guard let due = try await outbox.nextDue(now: now) else { break }
            #expect(try await outbox.letter(letter.id).state == .deferred)
            pauses.append(due.rawValue - now.rawValue)
            now = due
        }
        #expect(pauses == [60, 300, 900, 3600] + Array(repeating: 14_400, count: 11))
        #expect(now - Self.start <= .seconds(2 * 86_400))
        let id = try #require(try await harness.letters.first).id
        var letter = try await outbox.letter(id)
        #expect(letter.state == .failed && letter.attempts == 16 && letter.note?.hasSuffix("451 later") == true)
        // Once more from the beginning, because a person wants it.
        try await outbox.retryLetter(id, mayArriveTwice: false, actor: "root")
        letter = try #require(try await outbox.nextLetter(after: nil, now: .now))
        #expect(letter.attempts == 17)
        try await outbox.note(.deferred("451 later"), of: id, now: now)
        #expect(try await outbox.nextDue(now: now) == now + .seconds(60))
    }

    /// Without a server a letter waits, and that is no attempt.
    @Test func waitingForTheServerIsNoAttempt() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue(filed(1), at: Self.start)
        let until = Self.start + .seconds(120)
        var letter = try #require(try await outbox.nextLetter(after: nil, now: Self.start))
        #expect(
            try await outbox.nextLetter(
                after: (letter: letter.id, outcome: .postponed("no route", until: until)), now: Self.start)
                == nil)
        letter = try await outbox.letter(letter.id)
        #expect(letter.state == .queued && letter.attempts == 0 && letter.changedAt == nil && letter.dueAt == until)
        #expect(letter.note == "no route")
        _ = try await outbox.nextLetter(after: nil, now: until)
        try await outbox.note(.deferred("451"), of: letter.id, now: until)
        _ = try await outbox.nextLetter(after: nil, now: until + .seconds(60))
        try await outbox.note(.postponed("no route", until: .init(.max)), of: letter.id, now: until + .seconds(60))
        letter = try await outbox.letter(letter.id)
        #expect(letter.state == .deferred && letter.attempts == 1)
        #expect(letter.dueAt == until + .seconds(60) + OutboxPace.longestPause)
    }

    /// A time that no pause explains comes of a clock that was ahead.
    @Test func aClockThatWasAheadHoldsNoLetterUp() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue(filed(1), at: Self.start + .seconds(365 * 86_400))
        try harness.queue(filed(2), at: Self.start + .seconds(60))
        #expect(try await outbox.nextDue(now: Self.start) == Self.start)
        let first = try #require(try await outbox.nextLetter(after: nil, now: Self.start))
        #expect(first.cause == filed(1))
        #expect(try await outbox.nextLetter(after: (letter: first.id, outcome: .sent("250")), now: Self.start) == nil)
        #expect(try await outbox.nextDue(now: Self.start) == Self.start + .seconds(60))
    }

    @Test func aResultThatComesLateChangesNothing() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue(filed(1), filed(2), at: Self.start)
        let first = try #require(try await outbox.nextLetter(after: nil, now: Self.start))
        try harness.store.connection.write("") { try OutboxRows(db: $0, now: Self.start).doubtSending() }
        let second = try #require(
            try await outbox.nextLetter(after: (letter: first.id, outcome: .sent("250")), now: Self.start))
        #expect(second.cause == filed(2))
        #expect(try await outbox.letter(first.id).state == .uncertain)
        // Nor of one that is gone.
        #expect(
            try await outbox.nextLetter(after: (letter: OutboxLetter.ID(99), outcome: .sent("")), now: Self.start)
                == nil)
    }

    /// A letter that was being sent when its process ended is not known to have arrived.
    @Test func oneProcessAtATimeSends() async throws {
        let harness = try await StoreHarness()
        try harness.queue(filed(1), filed(2), at: Self.start)
        let lease = try #require(try await harness.store.outbox.relayLease())
        #expect(try await harness.store.outbox.relayLease() == nil)
        let letter = try #require(try await harness.store.outbox.nextLetter(after: nil, now: Self.start))
        lease.end()
        try harness.reopen()
        let outbox = harness.store.outbox
        let next = try #require(try await outbox.relayLease())
        let left = try await outbox.letter(letter.id)
        #expect(left.state == .uncertain && left.dueAt == nil && left.note?.contains("program ended") == true)
        #expect(try await outbox.nextLetter(after: nil, now: Self.start)?.cause == filed(2))
        next.end()
    }

    // MARK: People

    /// A letter that was uncertain may have arrived, also when it was given up since.
    @Test func whatMayHaveArrivedIsAskedAbout() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue(filed(1), at: Self.start)
        let id = try #require(try await outbox.nextLetter(after: nil, now: Self.start)).id
        try await outbox.note(.uncertain("cut off after the dot"), of: id, now: Self.start)
        try await outbox.dropLetter(id, actor: "root")
        #expect(try await outbox.letter(id).isAskedFirst)
        await #expect(
            performing: { try await outbox.retryLetter(id, mayArriveTwice: false, actor: "root") },
            throws: conflict("may arrive twice"))
        try await outbox.retryLetter(id, mayArriveTwice: true, actor: "root")
        #expect(try await outbox.letter(id).isAskedFirst == false)
    }

    @Test func peopleSendAnewAndGiveUp() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        try harness.queue((1...3).map(filed), at: Self.start)
        let ids = try await harness.letters.map(\.id)
        let first = try #require(try await outbox.nextLetter(after: nil, now: Self.start))
        // It may be in the server's hands.
        await #expect(
            performing: { try await outbox.dropLetter(first.id, actor: "root") }, throws: conflict("sent just"))
        await #expect(
            performing: { try await outbox.retryLetter(first.id, mayArriveTwice: true, actor: "root") },
            throws: conflict("sent just"))
        try await outbox.note(.uncertain("cut off after the dot"), of: first.id, now: Self.start)
        await #expect(
            performing: { try await outbox.retryLetter(first.id, mayArriveTwice: false, actor: "root") },
            throws: conflict("may arrive twice"))
        try await outbox.retryLetter(first.id, mayArriveTwice: true, actor: "root")
        let again = try await outbox.letter(first.id)
        #expect(again.state == .deferred && again.mark == first.mark && again.note == "root had it sent")
        try await outbox.dropLetter(ids[1], actor: "root")
        await #expect(performing: { try await outbox.dropLetter(ids[1], actor: "root") }, throws: conflict("before"))
        // The third is what is due, and the first since the clock of this machine is far ahead of the test's.
        var sent: [OutboxLetter.ID] = []
        while let letter = try await outbox.nextLetter(
            after: sent.last.map { (letter: $0, outcome: .sent("250")) }, now: Self.start)
        {
            sent.append(letter.id)
        }
        #expect(sent == [ids[2], ids[0]])
        await #expect(performing: { try await outbox.dropLetter(ids[2], actor: "root") }, throws: conflict("was sent"))
        await #expect(throws: StoreError.self) { try await outbox.letter(OutboxLetter.ID(99)) }
        // Who is no administrator does none of it.
        await #expect(throws: StoreError.self) { try await outbox.dropLetter(ids[1], actor: "ann@example.com") }
        let notes: [String] = try harness.store.connection.read("") {
            try $0.values("SELECT action || ' ' || subject || ' ' || detail FROM audit WHERE action LIKE 'outbox.%'")
        }
        #expect(
            notes == [
                "outbox.retry letter \(ids[0]) to ann@example.com", "outbox.drop letter \(ids[1]) to ann@example.com",
            ])
    }

    @Test func listsAndCountsAreByState() async throws {
        let harness = try await StoreHarness()
        let outbox = harness.store.outbox
        let limits = OutboxLimits(perDay: 1000, perHour: 1000)
        let now = Timestamp.now
        try harness.queue((1...30).map(filed), at: now - .seconds(60), limits: limits)
        try harness.queue((31...33).map(filed), to: "bob@example.com", at: now, limits: limits)
        let results: [OutboxResult] = [
            .sent("250"), .failed("550"), .uncertain("?"), .dropped("gone"), .deferred("451"),
        ]
        var last: (letter: OutboxLetter.ID, outcome: OutboxResult)?
        for index in 0..<20 {
            let letter = try #require(try await outbox.nextLetter(after: last, now: now))
            last = (letter: letter.id, outcome: results[index % results.count])
        }
        let sending = try await outbox.nextLetter(after: last, now: now)
        var counts = try await outbox.outboxCounts()
        #expect(
            counts.letters == [
                .queued: 12, .sending: 1, .sent: 4, .failed: 4, .uncertain: 4, .dropped: 4, .deferred: 4,
            ])
        #expect(counts.waiting == 16 && counts.troubled == 8 && counts.oldestWaiting == now - .seconds(60))
        #expect(sending != nil)

        func all(_ filter: OutboxFilter) async throws -> [Int64] {
            var (found, page) = ([Int64](), PageQuery(limit: 3))
            repeat {
                let list = try await outbox.letters(filter, page)
                #expect(list.items.count <= 3)
                found += list.items.map(\.id.rawValue)
                page.cursor = list.next
            } while page.cursor != nil
            return found
        }
        #expect(try await all(OutboxFilter()) == Array((1...33).reversed()))
        #expect(try await all(OutboxFilter(states: [.failed, .deferred])) == [20, 17, 15, 12, 10, 7, 5, 2])
        #expect(try await all(OutboxFilter(states: [.queued])) == Array((22...33).reversed()))
        #expect(try await all(OutboxFilter(recipient: "Bob@Example.com")) == [33, 32, 31])
        #expect(try await all(OutboxFilter(states: [.sent, .queued], recipient: "bob@example.com")) == [33, 32, 31])
        #expect(try await all(OutboxFilter(states: [.sent], recipient: "bob@example.com")) == [])
        // A letter that was sent long ago is not counted, and one that failed is.
        try harness.store.connection.write("") {
            try $0.execute("UPDATE outbox SET changed_at = ? WHERE due_at IS NULL", [now - .seconds(31 * 86_400)])
        }
        counts = try await outbox.outboxCounts()
        #expect(counts.letters[.sent] == nil && counts.letters[.failed] == 4)
    }
}
