import FundCore
import TestSupport
import Testing

@testable import FundStore

/// A page holds what it held when the backup was made, and everything else is of now: what is right is told by what
/// agrees, and where nothing tells it nothing is changed.
@Suite struct OldPageTests {
    private let damaged: DamagedStore
    private let bob: User
    private let old: [String: [DamagedStore.Page]]
    private var harness: StoreHarness { damaged.harness }
    private var store: FundStore { damaged.harness.store }

    private static let names = [
        "fund", "file", "email", "note", "deletion", "departure", "change", "misroute", "address", "email_user",
        "file_blob", "deletion_owner", "fund_owner", "change_user", "note_fund", "desk_step", "row_check",
    ]

    private static let beginning = Task { try await fill() }

    init() async throws {
        let beginning = try await Self.beginning.value
        (damaged, bob, old) = (try DamagedStore(beginning.template), beginning.bob, beginning.old)
    }

    /// After the backup a file is overwritten, others are deleted, a note and an email, too, mail is put aside, an
    /// address goes from bob to ann, and Fund1 with everything in it goes to bob.
    private static func fill() async throws -> (
        template: StoreTemplate, bob: User, old: [String: [DamagedStore.Page]]
    ) {
        let damaged = try await DamagedStore()
        let (harness, store) = (damaged.harness, damaged.harness.store)
        let (ann, top) = (harness.ann.id, LibraryPlace(fund: harness.fund.id))
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: ["x@example.com", "z@example.com"],
            actor: "test")
        func put(_ name: String, _ text: String) async throws -> FileEntry {
            let upload = try store.library.makeUpload(named: name, announcing: nil)
            try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
            let staged = try upload.finish(contentType: "text/plain")
            return try await store.library.addFile(staged, at: FileTarget(name, in: top, ifTaken: .replace), of: ann)
        }
        _ = try await put("over.txt", "old text")
        let deleted = try await put("deleted.txt", "deleted")
        _ = try await put("stays.txt", "stays")
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: harness.fund.id, of: ann)
        let part = StoreHarness.Part(name: "1.txt", bytes: Array("1".utf8))
        try await harness.file("Subject: 1\n\n1", parts: [part])
        let email = try #require(try await harness.file("Subject: 2\n\n2").emailID)
        let kept = try #require(try await harness.file("Subject: 3\n\n3", reason: .unknownSender).misrouteID)
        _ = try await store.maintenance.backUp(to: damaged.backup)
        var old: [String: [DamagedStore.Page]] = [:]
        for name in names { old[name] = try damaged.read(name) }

        let now = damaged.harness.store
        let again = try now.library.makeUpload(named: "over.txt", announcing: nil)
        try Array("newer text".utf8).withUnsafeBytes { try again.append($0) }
        _ = try await now.library.addFile(
            try again.finish(contentType: "text/plain"), at: FileTarget("over.txt", in: top, ifTaken: .replace), of: ann
        )
        for item in [LibraryItemID.file(deleted.id), .note(note.id), .email(email)] {
            try await now.library.delete(item, of: ann)
        }
        try await now.administration.reject(kept, note: "spam", actor: "test")
        _ = try await now.administration.changeUser(
            bob.id, UserChange(removedAddress: "x@example.com"), actor: "test")
        _ = try await now.administration.addAddress("x@example.com", to: ann, actor: "test")
        _ = try await now.administration.giveFund(harness.fund.id, to: bob.id, actor: "test")
        return (try StoreTemplate(harness), bob, old)
    }

    private func list(_ sql: String) throws -> [String] { try store.connection.read("list") { try $0.values(sql) } }

    /// Whose each thing is, and what became of it.
    private func state() throws -> [String] {
        let items = try ItemKind.inFunds.flatMap { kind in
            let deleted = kind == .email ? "0" : "item.deleted_at IS NOT NULL"
            return try list(
                """
                SELECT '\(kind.table) ' || item.id || ' of ' || owner_id || ' ' || \(deleted)
                FROM \(kind.table) AS item JOIN fund ON fund.id = fund_id ORDER BY item.id
                """)
        }
        return try items + list("SELECT name || ' of ' || owner_id FROM fund ORDER BY id")
            + list("SELECT 'file ' || id || ' has ' || blob_id || name FROM file ORDER BY id")
            + list("SELECT 'email ' || id || ' of ' || user_id FROM email ORDER BY id")
            + list(
                """
                SELECT 'deleted ' || kind || item_id || ' by ' || owner_id FROM deletion
                WHERE item_id < \(StoreHistory.passedIDs) ORDER BY kind, item_id
                """)
            + list("SELECT 'misrouted ' || id || ' ' || ifnull(resolution, 'waits') FROM misroute ORDER BY id")
            + list("SELECT 'changed ' || kind || item_id || ' of ' || user_id FROM change ORDER BY kind, item_id")
            + list("SELECT 'left ' || owner_id || ' ' || seq FROM departure ORDER BY owner_id, seq")
    }

    private func repair(from backup: String?) async throws -> VerifyReport {
        try await store.maintenance.verify(repairing: KnownParts([]), from: backup)
    }

    /// Rows of a lost page stand in others, with and without the backup.
    @Test(arguments: [
        "fund", "email", "deletion", "departure", "change", "misroute", "email_user", "file_blob", "deletion_owner",
        "fund_owner", "change_user", "note_fund",
    ])
    func saysWhatItSaid(_ name: String) async throws {
        for backup in [nil, damaged.backup] {
            let before = try state()
            try damaged.write(old[name] ?? [])
            #expect(try await !store.maintenance.verify().isSound)
            let report = try await repair(from: backup)
            #expect(try state() == before, "\(report.findings)")
            #expect(report.isSound, "\(report.findings)")
            #expect(try await store.maintenance.verify().findings == [])
        }
    }

    /// A file that came since is on no other page as it was: it comes with the backup's rows, or nothing is changed.
    @Test func rowsAreNotGivenUp() async throws {
        let before = try state()
        try damaged.write(old["file"] ?? [])
        let report = try await repair(from: damaged.backup)
        let after = try state()
        #expect(Set(after).symmetricDifference(before).filter { !$0.contains("has") } == [], "\(report.findings)")
        #expect(
            try list("SELECT 'blob ' || blob_id FROM file WHERE name = 'over.txt' AND deleted_at IS NULL").count == 1)
    }

    /// A checksum may be as old as the backup: together they prove nothing against what has changed since.
    @Test func oldChecksumsGiveNothingBack() async throws {
        let before = try state()
        try damaged.write(old["row_check"] ?? [])
        let report = try await repair(from: damaged.backup)
        #expect(try state() == before, "\(report.findings)")
        #expect(!report.isSound)
        #expect(try await !store.maintenance.verify().isSound)
    }

    /// Mail from an address that another user had before waits at the desk.
    @Test(arguments: [false, true]) func addressesThatAreBackFileNothing(hasBackup: Bool) async throws {
        try damaged.write(old["address"] ?? [])
        let seen = try await store.maintenance.verify().findings
        #expect(seen.contains { $0.kind == .changedRow && $0.detail.contains("is back") }, "\(seen)")
        let report = try await repair(from: hasBackup ? damaged.backup : nil)
        #expect(!report.isSound)
        #expect(try await !store.administration.user("bob@example.com").addresses.contains("x@example.com"))
    }

    /// The text of a note has no other witness: that it is an old one is said, and it stays in the trash.
    @Test func notesThatAreBackStayDeleted() async throws {
        try damaged.write(old["note"] ?? [])
        let report = try await repair(from: nil)
        let notes = try list("SELECT user_id || iif(deleted_at IS NULL, ' is there', ' is deleted') FROM note")
        #expect(notes == ["\(bob.id) is deleted"], "\(report.findings)")
        #expect(try list("SELECT name FROM fund WHERE name = '\(FundRows.recovered)'") == [])
    }

    /// The later of two changes of one item counts: the earlier stands on a page that was not written again.
    @Test func theLaterChangeCounts() async throws {
        let ann = harness.ann.id
        _ = try await store.administration.giveFund(harness.fund.id, to: ann, actor: "test")
        // The feed grows by some pages, so that what comes now stands on another.
        try store.connection.write("add changes") { db in
            try db.execute(
                """
                INSERT INTO change_due (kind, item_id, fund_id) WITH RECURSIVE ids (id) AS (
                    SELECT 1000 UNION ALL SELECT id + 1 FROM ids WHERE id < 2000) SELECT 4, id, ? FROM ids
                """, [harness.fund.id])
        }
        let first = try damaged.read("change").prefix(1)
        _ = try await store.administration.giveFund(harness.fund.id, to: bob.id, actor: "test")
        let before = try state()
        try damaged.write(Array(first))
        let report = try await repair(from: nil)
        #expect(report.isSound, "\(report.findings)")
        #expect(try state() == before)
        #expect(try await store.maintenance.verify().findings == [])
    }
}
