import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Letters when rows come from an earlier time, or go with the time.
@Suite struct OutboxGroundTests {
    private func filed(_ id: Int64) -> OutboxCause { .filed(EmailSummary.ID(id)) }

    /// One letter each that was sent, is being sent, was put off, and waits.
    private func fill(_ harness: StoreHarness) async throws {
        let (outbox, now) = (harness.store.outbox, Timestamp.now)
        try harness.queue((1...4).map(filed), at: now)
        let first = try #require(try await outbox.nextLetter(after: nil, now: now))
        let second = try #require(
            try await outbox.nextLetter(after: (letter: first.id, outcome: .sent("250")), now: now))
        _ = try #require(try await outbox.nextLetter(after: (letter: second.id, outcome: .deferred("451")), now: now))
        #expect(
            try await harness.letterStates == ["filed sent", "filed deferred", "filed sending", "filed queued"])
    }

    @Test func aRestoredStoreSendsNothingByItself() async throws {
        let harness = try await StoreHarness()
        try await fill(harness)
        _ = try await harness.store.maintenance.backUp(to: harness.folder + "/backup")
        // The letters stay what they are in the store that goes on.
        #expect(try await harness.store.outbox.nextLetter(after: nil, now: .now)?.cause == filed(4))
        let path = harness.folder + "/restored"
        _ = try BackupFolder(path: harness.folder + "/backup").restore(nil, to: path)
        try harness.store.close()
        harness.store = try FundStore.open(at: path, mode: .existing)
        let outbox = harness.store.outbox
        #expect(
            try await harness.letterStates
                == ["filed sent", "filed uncertain", "filed uncertain", "filed uncertain"])
        let last = try #require(try await harness.letters.last)
        #expect(last.note?.contains("may have been sent since") == true)
        let lease = try #require(try await outbox.relayLease())
        defer { lease.end() }
        #expect(try await outbox.nextLetter(after: nil, now: .now + .seconds(10 * 86_400)) == nil)
        #expect(try await outbox.nextDue(now: .now) == nil)
        // Ids that were given since the backup do not come again.
        try harness.queue(filed(5), at: .now)
        #expect(try #require(try await harness.letters.last).id.rawValue > StoreHistory.passedIDs)
        try await outbox.retryLetter(last.id, mayArriveTwice: true, actor: "root")
        #expect(try await outbox.nextLetter(after: nil, now: .now + .seconds(1)) != nil)
        // Opened again it is the same store.
        try harness.store.close()
        harness.store = try FundStore.open(at: path, mode: .existing)
        #expect(try await harness.store.outbox.outboxCounts().letters[.uncertain] == 2)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Rows that could not be read come from the backup, with and without one nothing is sent twice.
    @Test(arguments: [true, false]) func lostLettersAreNotSent(withBackup: Bool) async throws {
        let damaged = try await DamagedStore()
        let harness = damaged.harness
        try await fill(harness)
        try await harness.file("Subject: x\n\nbody")
        _ = try await harness.store.maintenance.backUp(to: damaged.backup)
        try harness.queue(filed(5), at: .now)
        try damaged.zeroPage(of: "outbox")
        let report = try await harness.store.maintenance.verify(
            repairing: KnownParts([]), from: withBackup ? damaged.backup : nil)
        #expect(report.findings.contains { $0.detail.contains("letters that were queued since") }, "\(report.findings)")
        let expected =
            withBackup ? ["filed sent", "filed uncertain", "filed uncertain", "filed uncertain"] : [] as [String]
        #expect(try await harness.letterStates == expected)
        try harness.queue(filed(6), at: .now)
        #expect(try await harness.store.outbox.nextLetter(after: nil, now: .now)?.cause == filed(6))
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    @Test func whatWasDecidedLongAgoIsForgotten() async throws {
        let harness = try await StoreHarness()
        try await fill(harness)
        let day = Duration.seconds(86_400)
        try harness.store.connection.write("") { db in
            try db.execute(
                "UPDATE outbox SET changed_at = changed_at - ?, queued_at = queued_at - ?",
                [91 * 86_400, 91 * 86_400] as SQLArguments)
        }
        _ = try await harness.store.maintenance.sweep(now: .now - day * 2)
        #expect(try harness.count("outbox") == 4)
        _ = try await harness.store.maintenance.sweep()
        #expect(try await harness.letterStates == ["filed deferred", "filed sending", "filed queued"])
    }

    /// The letters of a store with the earlier table, which an index of marks made slow. No number is given twice.
    @Test func anEarlierOutboxIsMadeAnew() async throws {
        let harness = try await StoreHarness()
        try await fill(harness)
        let (letters, columns) = (
            try await harness.letters, "kind, cause, topic, recipient, mark, state, queued_at, due_at"
        )
        try harness.store.close()
        try DatabaseFile.change(StoreLocation(root: harness.folder + "/store").database) { db in
            try db.run(
                script: """
                    CREATE UNIQUE INDEX outbox_mark ON outbox (mark);
                    INSERT INTO outbox (\(columns))
                        SELECT kind, 77, topic, recipient, 'none', state, queued_at, due_at FROM outbox WHERE id = 4;
                    DELETE FROM outbox WHERE id > 4;
                    DELETE FROM grdb_migrations WHERE identifier = '22';
                    """)
        }
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        #expect(try await harness.letters == letters)
        try harness.queue(filed(6), at: .now)
        #expect(try await harness.letters.map(\.id.rawValue) == [1, 2, 3, 4, 6])
        let indexes: [String] = try harness.store.connection.read("list indexes") {
            try $0.values("SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'outbox' ORDER BY name")
        }
        // The first one is that of events and recipients.
        #expect(
            indexes == [
                "outbox_due", "outbox_queued", "outbox_recipient", "outbox_state", "sqlite_autoindex_outbox_1",
            ])
        #expect(try await harness.store.maintenance.verify().findings == [])
    }

    /// A store of the version before the outbox.
    @Test func anOlderStoreGetsAnOutbox() async throws {
        let harness = try await StoreHarness()
        let kept = try await harness.file("Subject: 1\n\n1", reason: .noTag)
        try harness.store.close()
        try DatabaseFile.change(StoreLocation(root: harness.folder + "/store").database) { db in
            try db.run(
                script: """
                    DROP TABLE outbox; ALTER TABLE "user" DROP COLUMN receipts;
                    ALTER TABLE address DROP COLUMN is_answered; ALTER TABLE misroute DROP COLUMN internet_message_id;
                    DROP TABLE digest; DROP TABLE digest_progress; DROP INDEX file_from_others;
                    ALTER TABLE file DROP COLUMN is_from_others; ALTER TABLE "user" DROP COLUMN news;
                    ALTER TABLE "user" DROP COLUMN desk_digest; ALTER TABLE "user" DROP COLUMN language;
                    DELETE FROM grdb_migrations WHERE identifier IN ('13', '14', '22');
                    """)
        }
        harness.store = try FundStore.open(at: harness.folder + "/store", mode: .existing)
        #expect(try await harness.store.administration.users().map(\.user) == [harness.ann])
        try await harness.fileAnswered("Subject: 2\n\n2")
        try await harness.assign(try #require(kept.misrouteID), receipt: StoreHarness.receipt())
        #expect(try await harness.letterStates == ["filed queued", "filed_later queued"])
        #expect(try await harness.store.maintenance.verify().findings == [])
    }
}
