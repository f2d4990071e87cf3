import TestSupport
import Foundation
import GRDB
import FundCore
import Testing

@testable import FundStore

@Suite struct MigrationTests {
    /// Stores of version 1 exist: what made them must not change, or two stores of one version would differ.
    @Test func versionOneStaysWhatItWas() throws {
        let queue = try DatabaseQueue()
        try Schema.migrations.migrator.migrate(queue, upTo: "1")
        let sql = try queue.read { db in
            try String.fetchAll(
                db, sql: "SELECT sql FROM sqlite_master WHERE sql > '' AND name NOT LIKE 'grdb%' ORDER BY name")
        }
        let digest = ContentDigest.of(Array(sql.joined(separator: "\n").utf8)).hex
        #expect(digest == "d842b29f6eb5b1b126c0fb8fd16e7dfd4c11155c212fba5e40f979178d700f8e")
    }

    @Test func aStoreOfVersionOneIsMigrated() async throws {
        let harness = try await StoreHarness()
        try await harness.deliver("Subject: x\n\nbody", at: "7/1")
        try harness.store.close()
        let path = harness.store.path
        try Self.replaceWithVersionOne("\(path)/fundmail.sqlite")

        #expect { try FundStore.open(at: path, mode: .readOnly) } throws: { ($0 as? StoreError)?.code == .invalid }
        harness.store = try FundStore.open(at: path, mode: .existing, searchWait: StoreHarness.searchWait)
        let store = harness.store
        #expect(try await store.administration.users().map(\.user.email) == ["ann@example.com"])
        #expect(try store.mail.deliveredPlaces(in: "funds") == [DeliveredPlace(place: "7/1")])
        #expect(try await store.mail.mailboxStates() == [])
        // Recognised, and known by its size from now on.
        #expect(try await harness.deliver("Subject: x\n\nbody", at: "7/1", announcing: 16).outcome == .duplicate)
        let place = DeliveredPlace(place: "7/1", announcedBytes: 16)
        #expect(try store.mail.deliveredPlaces(in: "funds") == [place])
        #expect(try await store.mail.openMailbox("funds", at: "imaps://f@one/INBOX") == false)
        try harness.reopen()
        #expect(try await harness.store.mail.mailboxStates().count == 1)
    }

    /// An older server that runs goes on with the store that it knows, and can be started again.
    @Test func nothingIsMigratedDuringARun() async throws {
        let harness = try await StoreHarness()
        let path = harness.store.path
        try harness.store.close()
        try Self.replaceWithVersionOne("\(path)/fundmail.sqlite")
        let layout = StoreLayout(root: path)
        let run = try RunLock(path: layout.runLock, owner: nil, holder: "serve", waitingUpTo: .zero)
        #expect { try FundStore.open(at: path, mode: .existing) } throws: { error in
            (error as? StoreError)?.code == .held && (error as? StoreError)?.holder == "serve"
        }
        let queue = try DatabaseQueue(path: layout.database)
        #expect(try await queue.read { db in try Schema.migrations.migrator.appliedIdentifiers(db) } == ["1"])
        try queue.close()
        #expect((StoreLayout.size(of: layout.runLock) ?? 0) > 0)
        run.release()
        harness.store = try FundStore.open(at: path, mode: .existing, searchWait: StoreHarness.searchWait)
        #expect(try await harness.store.administration.users().map(\.user.email) == ["ann@example.com"])
    }

    @Test func whatWasFiledUnderVersionOneIsSeen() async throws {
        let harness = try await StoreHarness()
        let parts = [StoreHarness.Part(name: "q3.pdf", bytes: [1])]
        let id = try #require(try await harness.file("a: b\n\nc", parts: parts).emailID)
        try harness.store.close()
        let path = harness.store.path
        try Self.replaceWithVersionOne("\(path)/fundmail.sqlite")
        harness.store = try FundStore.open(at: path, mode: .existing, searchWait: StoreHarness.searchWait)
        let (store, ann) = (harness.store, harness.ann.id)
        let file = try #require(try await store.library.item(at: ["Fund1", "q3.pdf"], of: ann))
        #expect(try await store.library.email(id, of: ann).summary.attachmentCount == 1)
        let items = try await store.library.changes(of: ann, after: nil, limit: 10).changes.map(\.item)
        #expect(items == [.fund(harness.fund.id), .email(id), file.itemID])
        let hits = try await store.library.search(SearchQuery(text: "q3"), of: ann).items.map(\.item)
        #expect(Set(hits) == [.email(id), file.itemID])
        try await store.library.delete(file.itemID, of: ann)
        #expect(try await store.library.restore(file.itemID, of: ann).name == "q3.pdf")
        #expect(try await store.maintenance.verify().isSound)
    }

    /// What was filed when the fingerprint left out fewer fields is recognised in every copy: from its raw message
    /// where that is here, by the former fingerprint where it is gone.
    @Test(arguments: [false, true]) func fingerprintsOfAnOlderStore(isRawDropped: Bool) async throws {
        let harness = try await StoreHarness()
        let text = "X-TUID: abc\nMessage-ID: <1@x>\nSubject: x\n\nbody\n"
        let filed = try harness.message(text)
        let former = try #require(filed.spooled.formerFingerprint)
        let present = filed.spooled.fingerprint
        filed.spooled.discard()
        _ = try await harness.file(text)
        _ = try await harness.file("Subject: other\n\nbody\n")
        try harness.makeFingerprintsOld(to: former, insteadOf: present, isRawDropped: isRawDropped)
        try harness.reopen()
        // With another trace field, which the former fingerprint left out, too.
        #expect(try await harness.file("Received: from a\n" + text).outcome == .duplicate)
        if !isRawDropped {
            #expect(try await harness.file("Message-ID: <1@x>\nSubject: x\n\nbody\n").outcome == .duplicate)
            #expect(try await harness.file(text.replacing("abc", with: "def")).outcome == .duplicate)
        }
        #expect(try harness.count("email") == 2)
        #expect(try await harness.store.maintenance.verify().isSound)
    }

    /// Two copies that both were filed stay two.
    @Test func copiesThatWereFiledTwiceStay() async throws {
        let harness = try await StoreHarness()
        let text = "X-TUID: abc\nSubject: x\n\nbody\n"
        let (first, other) = (try harness.message(text), "Subject: y\n\nbody\n")
        first.spooled.discard()
        _ = try await harness.file(text)
        _ = try await harness.file(other)
        let second = try harness.message(other)
        second.spooled.discard()
        // As if the second were a copy that came without the field.
        try harness.makeFingerprintsOld(
            to: try #require(first.spooled.formerFingerprint), insteadOf: first.spooled.fingerprint, isRawDropped: false
        )
        try harness.makeFingerprintsOld(
            to: first.spooled.fingerprint, insteadOf: second.spooled.fingerprint, isRawDropped: false)
        try harness.reopen()
        #expect(try harness.count("email") == 2)
        #expect(try await harness.file("Received: x\n" + text).outcome == .duplicate)
        #expect(try harness.count("email") == 2)
    }

    /// `STRAẞE`, `Straße` and `strasse` became one name. Nothing is lost where two of them stand side by side.
    @Test func namesThatBecameOneAreKept() async throws {
        let harness = try await LibraryHarness()
        let store = harness.store
        var ids: [LibraryItemID] = []
        for name in ["1", "2", "3", "4", "k\u{131}z"] { ids.append(.file(try await harness.put(name, name).id)) }
        let folder = try await harness.folder("5")
        let (first, second, third) = (
            try await store.library.addFund("one", of: harness.ann),
            try await store.library.addFund("two", of: harness.ann),
            try await store.library.addFund("three", of: harness.ann)
        )
        let names = ["Stra\u{DF}e.pdf", "STRA\u{1E9E}E.pdf", "strasse.pdf", "\u{3C2}"]
        try store.connection.write("") { db in
            for (index, name) in names.enumerated() {
                try db.execute(
                    "UPDATE file SET name = ?, name_key = ? WHERE id = ?",
                    // As version 7 made it.
                    [name, name == "STRA\u{1E9E}E.pdf" ? "x" : name.lowercased(), ids[index].number])
            }
            try db.execute(
                "UPDATE folder SET name = ?, name_key = ? WHERE id = ?", ["STRA\u{DF}E", "stra\u{DF}e", folder.id])
            for (fund, name, key) in [
                (first.id, "STRA\u{1E9E}E", "stra\u{DF}e"), (second.id, "Stra\u{DF}e", "strasse"),
                (third.id, "GRO\u{1E9E}", "gro\u{DF}"),
            ] {
                try db.execute("UPDATE fund SET name = ? WHERE id = ?", [name, fund])
                try db.execute("UPDATE fund_key SET key = ? WHERE fund_id = ?", [key, fund])
            }
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = '8'")
        }
        try harness.base.reopen()
        let again = harness.base.store
        let files = try await again.library.children(of: harness.top, of: harness.ann).map(\.name)
        #expect(
            Set(files) == [
                "Stra\u{DF}e(1).pdf", "STRA\u{1E9E}E(2).pdf", "strasse.pdf", "\u{3C2}", "k\u{131}z", "STRA\u{DF}E",
            ])
        for name in files + ["STRASSE", "\u{3A3}", "K\u{131}Z"] {
            #expect(try await again.library.item(at: ["Fund1", name], of: harness.ann) != nil, "\(name)")
        }
        // The fund that is found alone is found under its new key; of two neither is preferred to the other.
        #expect(try await again.administration.funds(named: "gross", owner: harness.ann).map(\.fund.id) == [third.id])
        #expect(
            try await again.administration.funds(named: "strasse", owner: harness.ann).map(\.fund.id) == [second.id])
        let directory = try again.mail.directory()
        #expect(directory.funds(of: harness.ann, matching: "strasse").map(\.id).sorted() == [first.id, second.id])
        try await again.administration.renameFund(first.id, to: "Allee", actor: "test")
        #expect(
            try await again.administration.funds(named: "strasse", owner: harness.ann).map(\.fund.id) == [second.id])
        #expect(try await again.library.addFund("stra\u{DF}", of: harness.ann).name == "stra\u{DF}")
        #expect(try await again.maintenance.verify().isSound)
    }

    /// Of runs that failed before version 18 the last is the best that is known.
    @Test func sinceWhenAMailboxOfAnOlderStoreFails() async throws {
        let harness = try await StoreHarness()
        for (name, problems) in [("failing", ["a", "b"]), ("good", [nil, nil]), ("mended", ["a", nil])]
            as [(String, [String?])]
        {
            for (index, problem) in problems.enumerated() {
                var run = MailboxRun(startedAt: Timestamp(Int64(100 * (index + 1))))
                run.problem = problem
                try await harness.store.mail.note(run, of: name)
            }
        }
        try await harness.store.mail.openMailbox("new", at: "imaps://new")
        try harness.store.connection.write("") { db in
            try db.run(
                script: """
                    ALTER TABLE mailbox DROP COLUMN failing_since;
                    ALTER TABLE desk_act DROP COLUMN user_id;
                    ALTER TABLE desk_act DROP COLUMN name;
                    DELETE FROM grdb_migrations WHERE identifier = '18';
                    """)
        }
        try harness.reopen()
        let states = try await harness.store.mail.mailboxStates()
        #expect(states.map(\.name) == ["failing", "good", "mended", "new"])
        #expect(states.map(\.failingSince) == [200, nil, nil, nil])
        var run = MailboxRun(startedAt: 300)
        run.problem = "c"
        try await harness.store.mail.note(run, of: "failing")
        #expect(try await harness.store.mail.mailboxStates().first?.failingSince == 200)
    }

    /// The same rows under the schema of version 1.
    private static func replaceWithVersionOne(_ path: String) throws {
        let old = try DatabaseQueue(path: path + ".old")
        try Schema.migrations.migrator.migrate(old, upTo: "1")
        try old.writeWithoutTransaction { db in
            try db.execute(sql: "ATTACH ? AS new", arguments: [path])
            for table in [
                "user", "address", "fund", "fund_alias", "fund_key", "message", "email", "delivery", "blob",
                "attachment",
                "file",
            ] {
                let columns = try db.columns(in: table).map(\.name).joined(separator: ", ")
                try db.execute(sql: "INSERT INTO main.\(table) (\(columns)) SELECT \(columns) FROM new.\(table)")
            }
            try db.execute(sql: "DETACH new")
        }
        try old.close()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.moveItem(atPath: path + ".old", toPath: path)
    }
}

extension StoreHarness {
    /// Makes the store one whose fingerprints are of the first revision.
    fileprivate func makeFingerprintsOld(
        to former: ContentDigest, insteadOf present: ContentDigest, isRawDropped: Bool
    ) throws {
        try store.connection.pool.write { db in
            for table in ["message", "email"] {
                let changed = try db.execute(
                    "UPDATE \(table) SET fingerprint = ? WHERE fingerprint = ?", [former, present])
                #expect(changed == 1)
            }
            if isRawDropped {
                try db.execute("UPDATE message SET raw_dropped_at = 1 WHERE fingerprint = ?", [former])
            }
            #expect(try db.execute("DELETE FROM counter WHERE name = 'fingerprint'") <= 1)
        }
        guard isRawDropped else { return }
        let digests: [ContentDigest] = try store.connection.read("look") {
            try $0.values("SELECT digest FROM message WHERE raw_dropped_at = 1")
        }
        for digest in digests { try FileManager.default.removeItem(atPath: store.connection.layout.raw(digest)) }
    }
}
