import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Digests when rows come from an earlier time, or go with the time.
@Suite struct DigestGroundTests {
    private let start = Timestamp.now
    private var schedule: DigestSchedule { StoreHarness.schedule(from: start) }
    private let hour = StoreHarness.hour
    private let day = StoreHarness.day

    /// A store in which Ann hears of news, and an administrator of the desk, each with something to tell.
    private func fill(_ harness: StoreHarness, _ pace: NewsPace) async throws {
        let root = try await harness.store.administration.addUser(
            email: "root@example.com", name: nil, isAdministrator: true, addresses: [], actor: "t")
        try await harness.store.accounts.setDigests(DigestChange(desk: true), of: root.id, actor: "t")
        try await harness.choose(pace)
        try await harness.queueDigests(at: start, schedule)
        try await harness.file("Subject: 1\n\n1")
        try await harness.file("Subject: kept\n\nkept", reason: .noTag)
    }

    /// Between the backup and its restoration the digests of the period were sent.
    @Test(arguments: [NewsPace.atOnce, .hourly, .daily]) func aRestoredStoreTellsNothingTwice(pace: NewsPace)
        async throws
    {
        let harness = try await StoreHarness()
        try await fill(harness, pace)
        _ = try await harness.store.maintenance.backUp(to: harness.folder + "/backup")
        let later = start + day
        #expect(try await harness.queueDigests(at: later, schedule) == [.news, .desk])
        try await harness.sendAll(at: later)
        let path = harness.folder + "/restored"
        _ = try BackupFolder(path: harness.folder + "/backup").restore(nil, to: path)
        try harness.store.close()
        harness.store = try FundStore.open(at: path, mode: .existing)
        #expect(try await harness.queueDigests(at: later, schedule) == [])
        #expect(try await harness.queueDigests(at: later + .seconds(60), schedule) == [])
        // Mail of the time before that is filed again, as from the log, is no news either.
        var message = try harness.message("Subject: again\n\nagain")
        message.receivedAt = start - .seconds(5)
        _ = try await harness.store.mail.commit([try harness.stage(message)])
        #expect(try await harness.queueDigests(at: later + .seconds(90), schedule) == [])
        try await harness.file("Subject: 2\n\n2")
        #expect(try await harness.queueDigests(at: later + day, schedule) == [.news, .desk])
        #expect(try #require(try await harness.letters.first?.cause.digest).rawValue > StoreHistory.passedIDs)
        let news = try #require(try await harness.letters.first { $0.cause.kind == .news })
        guard case .news(let facts) = try await harness.store.outbox.facts(of: news) else {
            return #expect(Bool(false))
        }
        #expect(facts.mailCount == 1)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Rows that could not be read: with and without a backup nothing is told twice, and digests go on.
    @Test(arguments: ["digest", "digest_progress"], [true, false])
    func lostRowsTellNothingTwice(table: String, withBackup: Bool) async throws {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        try await fill(harness, .hourly)
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        #expect(try await harness.queueDigests(at: start + day, schedule) == [.news, .desk])
        try await harness.sendAll(at: start + day)
        try damaged.zeroPage(of: table)
        _ = try await harness.store.maintenance.verify(
            repairing: KnownParts([]), from: withBackup ? damaged.backup : nil)
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        #expect(try await harness.queueDigests(at: start + day, schedule) == [])
        try await harness.file("Subject: 2\n\n2")
        #expect(try await harness.queueDigests(at: start + day + hour, schedule) == [.news])
        #expect(try await harness.lastNews().mailCount == 1)
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test func digestsGoWithTheirLetters() async throws {
        let harness = try await StoreHarness()
        try await fill(harness, .hourly)
        #expect(try await harness.queueDigests(at: start + hour, schedule).contains(.news))
        try await harness.sendAll(at: start + day)
        let later = start + day * 92
        try await harness.file("Subject: 2\n\n2")
        #expect(try await harness.queueDigests(at: later, schedule).contains(.news))
        // Older digests of the same person, without letters.
        try harness.store.connection.write("") { db in
            for number in 1...60 {
                try db.execute(
                    """
                    INSERT INTO digest (kind, user_id, pace, period, at,
                        after_id, until_id, after_file_id, until_file_id)
                    VALUES ('news', ?, 'hourly', ?, ?, 0, 0, 0, 0)
                    """, [harness.ann.id, -number, start - day])
            }
        }
        let before = try harness.count("digest")
        _ = try await harness.store.maintenance.sweep(now: later)
        // The latest 50 of each person stay: a clock that was ahead makes all of them old.
        #expect(try harness.count("digest") < before && harness.count("digest") <= 53)
        #expect(try await harness.letterStates.contains("news queued"))
    }

    /// A clock that is ahead for a while has all letters and digests forgotten. Back again nothing is told twice.
    @Test func aClockThatWasAheadTellsNothingTwice() async throws {
        let harness = try await StoreHarness()
        try await fill(harness, .daily)
        let (now, ahead) = (start + day, start + day * 400)
        #expect(try await harness.queueDigests(at: now, schedule) == [.news, .desk])
        try await harness.sendAll(at: now)
        #expect(try await harness.queueDigests(at: ahead, schedule) == [.desk])
        try await harness.sendAll(at: ahead)
        _ = try await harness.store.maintenance.sweep(now: ahead)
        #expect(try await harness.letterStates.isEmpty == false)
        for _ in 0..<2 { #expect(try await harness.queueDigests(at: now, schedule) == []) }
        #expect(try await harness.queueDigests(at: now + hour, schedule) == [])
        // The next day goes on.
        try await harness.file("Subject: 2\n\n2")
        #expect(try await harness.queueDigests(at: now + day, schedule) == [.news, .desk])
    }

    /// The last mail is purged: the point up to which a person is told stays where it was.
    @Test func purgedMailTakesNoPointBack() async throws {
        let harness = try await StoreHarness()
        try await fill(harness, .hourly)
        #expect(try await harness.queueDigests(at: start + hour, schedule).contains(.news))
        try await harness.sendAll(at: start + hour)
        func point() throws -> Int64? {
            try harness.store.connection.read("") {
                try $0.value("SELECT last_id FROM digest_progress WHERE kind = 'desk'")
            }
        }
        #expect(try await harness.queueDigests(at: start + day, schedule).contains(.desk))
        try await harness.sendAll(at: start + day)
        let told = try #require(try point())
        try harness.store.connection.write("") { db in
            // Five more were there.
            try db.execute("UPDATE digest_progress SET last_id = ? WHERE kind = 'desk'", [told + 5])
        }
        #expect(try await harness.queueDigests(at: start + day * 2, schedule).contains(.desk))
        #expect(try point() == told + 5)
    }
}
