import FundCore
import TestSupport
import Testing

@testable import FundStore

/// When digests are queued, by an injected clock.
@Suite struct DigestTests {
    private let start = Timestamp.now
    private var schedule: DigestSchedule { StoreHarness.schedule(from: start) }
    private let hour = StoreHarness.hour
    private let day = StoreHarness.day

    private func states(_ harness: StoreHarness) async throws -> [String] { try await harness.letterStates }

    @Test func nobodyGetsOneWithoutAskingForIt() async throws {
        let harness = try await StoreHarness()
        try await harness.file("Subject: 1\n\n1")
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        #expect(try harness.count("digest_progress") == 0)
    }

    /// Mail that was there before is no news, nothing is told when there is nothing, and nothing is told twice.
    @Test(arguments: [(NewsPace.hourly, Duration.seconds(3600)), (.daily, .seconds(86_400))])
    func eachPeriodHasOne(pace: NewsPace, length: Duration) async throws {
        let harness = try await StoreHarness()
        try await harness.file("Subject: old\n\nold")
        try await harness.choose(pace)
        #expect(try await harness.queueDigests(at: start, schedule) == [])
        let first = try #require(try await harness.file("Subject: 1\n\n1").emailID)
        #expect(try await harness.queueDigests(at: start, schedule) == [])
        for _ in 0..<3 { try await harness.queueDigests(at: start + length, schedule) }
        #expect(try await states(harness) == ["news queued"])
        #expect(try await harness.letters.last?.recipient == "ann@example.com")
        let facts = try await harness.lastNews()
        #expect(facts.funds.map(\.name) == ["Fund1"] && facts.funds.first?.mails.map(\.id) == [first])
        #expect(facts.mailCount == 1 && facts.fileCount == 0 && facts.fundCount == 1)
        try await harness.sendAll(at: start + length)

        #expect(try await harness.queueDigests(at: start + length * 2, schedule) == [])
        try await harness.file("Subject: 2\n\n2")
        try await harness.file("Subject: 3\n\n3")
        #expect(try await harness.queueDigests(at: start + length * 2, schedule) == [])
        #expect(try await harness.queueDigests(at: start + length * 3, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 2)
        #expect(try harness.count("digest") == 2)
    }

    /// Within half a minute, and what comes together is told together.
    @Test func atOnceWaitsForWhatComesWithIt() async throws {
        let harness = try await StoreHarness()
        try await harness.choose(.atOnce)
        try await harness.file("Subject: 1\n\n1")
        #expect(try await harness.queueDigests(at: .now, schedule) == [])
        try await harness.file("Subject: 2\n\n2")
        let later = Timestamp.now + DigestSchedule.shortest
        #expect(try await harness.queueDigests(at: later, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 2)
        // The next one waits for this one, and then for nothing but its period.
        try await harness.file("Subject: 3\n\n3")
        #expect(try await harness.queueDigests(at: later + .seconds(60), schedule) == [])
        try await harness.sendAll(at: later)
        #expect(try await harness.queueDigests(at: later, schedule) == [])
        #expect(try await harness.queueDigests(at: later + DigestSchedule.shortest, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 1)
    }

    /// Too many at once come once an hour, and the hour tells all of them.
    @Test func manyAtOnceBecomeHourly() async throws {
        let harness = try await StoreHarness()
        var limits = OutboxLimits.usual
        limits.digestsAtOncePerDay = 3
        try await harness.choose(.atOnce)
        var (now, queued) = (Timestamp.now + StoreHarness.minute, 0)
        for number in 0..<8 {
            try await harness.file("Subject: \(number)\n\n\(number)")
            queued += try await harness.queueDigests(at: now, schedule, limits: limits).count
            try await harness.sendAll(at: now)
            now = now + DigestSchedule.shortest
        }
        // An hour may have begun meanwhile.
        #expect((4...5).contains(queued))
        #expect(try await harness.queueDigests(at: now + hour, schedule, limits: limits) == [.news])
        let told = try harness.store.connection.read("") { db -> Int in
            try db.value(
                "SELECT count(DISTINCT email.id) FROM email JOIN digest ON email.id > after_id AND email.id <= until_id"
            )
                ?? 0
        }
        #expect(told == 8)
    }

    /// A clock that is a year ahead for a while, and one that goes back.
    @Test(arguments: [NewsPace.hourly, .daily]) func aClockThatJumps(pace: NewsPace) async throws {
        let harness = try await StoreHarness()
        let year = day * 365
        try await harness.choose(pace)
        try await harness.queueDigests(at: start, schedule)
        try await harness.file("Subject: 1\n\n1")
        #expect(try await harness.queueDigests(at: start + year, schedule) == [.news])
        try await harness.sendAll(at: start + year)
        try await harness.file("Subject: 2\n\n2")
        // Back again: not later than a day, and never twice for one period.
        #expect(try await harness.queueDigests(at: start + day, schedule) == [.news])
        try await harness.sendAll(at: start + day)
        try await harness.file("Subject: 3\n\n3")
        #expect(try await harness.queueDigests(at: start + year, schedule) == [])
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        #expect(try await harness.queueDigests(at: start + day * 2, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 1)
        #expect(try harness.count("digest") == 3)
    }

    /// Two programs on one store, each asked several times at once.
    @Test func twoProcessesQueueOne() async throws {
        let harness = try await StoreHarness()
        try await harness.choose(.daily)
        try await harness.queueDigests(at: start, schedule)
        try await harness.file("Subject: 1\n\n1")
        let other = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        let (time, schedule) = (start + day, schedule)
        let kinds = try await withThrowingTaskGroup(of: [Digest.Kind].self) { group in
            for store in [harness.store, other, harness.store, other] {
                group.addTask { try await store.digests.queueDigests(schedule, limits: .usual, now: time) }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        try other.close()
        #expect(kinds == [.news])
        #expect(try await states(harness) == ["news queued"])
    }

    /// A digest that is not known to have arrived is not told again, and what follows is told.
    @Test(arguments: [OutboxResult.uncertain("?"), .failed("550"), .dropped("x")])
    func theNextGoesOnFromThere(result: OutboxResult) async throws {
        let harness = try await StoreHarness()
        try await harness.choose(.hourly)
        try await harness.queueDigests(at: start, schedule)
        try await harness.file("Subject: 1\n\n1")
        try await harness.queueDigests(at: start + hour, schedule)
        let letter = try #require(try await harness.store.outbox.nextLetter(after: nil, now: start + hour))
        try await harness.file("Subject: 2\n\n2")
        // It is being sent.
        #expect(try await harness.queueDigests(at: start + hour * 2, schedule) == [])
        try await harness.store.outbox.note(result, of: letter.id, now: start + hour * 2)
        #expect(try await harness.queueDigests(at: start + hour * 2, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 1)
    }

    /// Digests and letters about mail have limits of their own, and a digest that a limit holds back is not lost.
    @Test func limitsAreApart() async throws {
        let harness = try await StoreHarness()
        let limits = OutboxLimits(perDay: 2, perHour: 3)
        for number in 1...4 {
            let user = try await harness.store.administration.addUser(
                email: "p\(number)@example.com", name: nil, isAdministrator: true, addresses: [], actor: "t")
            try await harness.store.accounts.setDigests(DigestChange(desk: true), of: user.id, actor: "t")
        }
        try await harness.queueDigests(at: start, schedule, limits: limits)
        try await harness.file("Subject: 1\n\n1", reason: .noTag)
        let later = start + day
        #expect(try await harness.queueDigests(at: later, schedule, limits: limits) == [.desk, .desk, .desk])
        try harness.queue(.filed(1), .filed(2), .filed(3), to: "p1@example.com", at: later, limits: limits)
        #expect(
            try await states(harness)
                == ["desk queued", "desk queued", "desk queued", "filed queued", "filed queued", "filed dropped"])
        #expect(try await harness.queueDigests(at: later, schedule, limits: limits) == [])
        #expect(try await harness.queueDigests(at: later + hour, schedule, limits: limits) == [.desk])
        #expect(try await harness.letters.last?.recipient == "p4@example.com")
    }

    @Test func theDeskIsToldWhileSomethingWaits() async throws {
        let harness = try await StoreHarness()
        let administration = harness.store.administration
        let root = try await administration.addUser(
            email: "root@example.com", name: "Root", isAdministrator: true, addresses: [], actor: "t")
        await #expect(throws: StoreError.self) {
            try await harness.store.accounts.setDigests(DigestChange(desk: true), of: harness.ann.id, actor: "t")
        }
        try await harness.store.accounts.setDigests(DigestChange(desk: true, language: .zh), of: root.id, actor: "t")
        try await harness.queueDigests(at: start, schedule)
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        let message = try #require(try await harness.file("Subject: 1\n\n1", reason: .noTag).misrouteID)
        try await harness.file("Subject: 2\n\n2", reason: .unknownSender)
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        #expect(try await harness.queueDigests(at: start + day * 2, schedule) == [.desk])
        guard case .desk(let facts) = try await harness.lastFacts() else { return #expect(Bool(false)) }
        #expect(facts.count == 2 && facts.newCount == 2 && facts.recipient.language == .zh)
        #expect(Set(facts.causes) == [.init(.noTag, 1), .init(.unknownSender, 1)])
        // Its sender is not known: what a stranger wrote is not told.
        #expect(facts.messages == [])
        try await harness.sendAll(at: start + day * 2)
        #expect(try await harness.queueDigests(at: start + day * 3, schedule) == [.desk])
        guard case .desk(let again) = try await harness.lastFacts() else { return #expect(Bool(false)) }
        #expect(again.count == 2 && again.newCount == 0)

        // All is put off or put aside before the letter goes out.
        let act = try await administration.begin(.reject, about: .init(), actor: "t")
        try await administration.reject(message, note: "x", in: act, actor: "t")
        try harness.store.connection.write("") {
            try $0.execute("UPDATE misroute SET put_off_until = ?", [start + day * 9])
        }
        guard case .gone = try await harness.lastFacts() else { return #expect(Bool(false)) }
        try await harness.sendAll(at: start + day * 3)
        #expect(try await harness.queueDigests(at: start + day * 4, schedule) == [])
    }
}
