import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Items whose rows come from an old backup: what was removed stays away, and nothing lies in a fund of another person.
@Suite struct StaleItemsTests {
    private let damaged: DamagedStore
    private let bob: User
    private let moved: Items
    private var harness: StoreHarness { damaged.harness }
    private var store: FundStore { damaged.harness.store }
    private var ann: User { damaged.harness.ann }

    private struct Items: Sendable {
        var file: FileEntry
        var folder: FolderEntry
        var email: EmailSummary.ID
        var note: NoteEntry.ID
        /// The newest that the backup has.
        var last: FileEntry
    }

    private static let beginning = Task { try await fill() }

    init() async throws {
        let beginning = try await Self.beginning.value
        (damaged, bob, moved) = (try DamagedStore(beginning.template), beginning.bob, beginning.moved)
    }

    /// After the backup ann moves a file, a folder and an email from Fund1 to Beta, replaces and renames files, deletes
    /// others, some for good, and Fund1 is given to bob with what is left in it. At the desk mail is filed, put aside,
    /// and taken back.
    private static func fill() async throws -> (template: StoreTemplate, bob: User, moved: Items) {
        let damaged = try await DamagedStore()
        let (harness, store) = (damaged.harness, damaged.harness.store)
        let (ann, top) = (harness.ann.id, LibraryPlace(fund: harness.fund.id))
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        let beta = LibraryPlace(fund: try await store.library.addFund("Beta", of: ann).id)
        func put(_ name: String, _ text: String, in place: LibraryPlace) async throws -> FileEntry {
            let upload = try store.library.makeUpload(named: name, announcing: nil)
            try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
            let staged = try upload.finish(contentType: "text/plain")
            return try await store.library.addFile(
                staged, at: FileTarget(name, in: place, ifTaken: .replace), of: ann)
        }
        func move(_ item: LibraryItemID, to place: LibraryPlace, named name: String? = nil) async throws {
            _ = try await store.library.move(item, to: place, named: name, ifTaken: .refuse, of: ann)
        }
        let folder = try await store.library.addFolder("private", in: top, of: ann)
        let inside = LibraryPlace(fund: harness.fund.id, folder: folder.id)
        _ = try await put("deep.txt", "deep", in: inside)
        let file = try await put("moved.txt", "moved", in: inside)
        let renamed = try await put("name.txt", "renamed", in: top)
        let (deleted, purged) = (try await put("a.txt", "same", in: top), try await put("b.txt", "same", in: top))
        _ = try await put("content.txt", "old", in: top)
        let last = try await put("stays.txt", "same", in: top)
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: harness.fund.id, of: ann).id
        var emails: [EmailSummary.ID] = []
        for subject in ["1", "2", "3", "4"] {
            emails.append(try #require(try await harness.file("Subject: \(subject)\n\n\(subject)").emailID))
        }
        var kept: [MisrouteRecord.ID] = []
        for subject in ["5", "6", "7", "8"] {
            let stored = try await harness.file("Subject: \(subject)\n\n\(subject)", reason: .unknownSender)
            kept.append(try #require(stored.misrouteID))
        }
        let act = try await harness.assign(kept[0]).act
        let aside = try await store.administration.reject(kept[3], note: "no", actor: "test")
        let moved = Items(file: file, folder: folder, email: emails[0], note: note, last: last)
        _ = try await store.maintenance.backUp(to: damaged.backup)

        try await store.administration.undo(all: act)
        try await store.administration.undo(all: aside)
        try await store.administration.reject(kept[2], note: "spam", actor: "test")
        for item in [LibraryItemID.file(purged.id), .email(emails[2])] { try await store.library.delete(item, of: ann) }
        _ = try await store.library.emptyTrash(of: ann)
        for item in [LibraryItemID.file(deleted.id), .email(emails[1])] {
            try await store.library.delete(item, of: ann)
        }
        try await move(.file(renamed.id), to: top, named: "other.txt")
        _ = try await put("name.txt", "another", in: top)
        _ = try await put("content.txt", "new", in: top)
        try await move(.folder(folder.id), to: beta)
        try await move(.file(file.id), to: beta)
        _ = try await store.library.moveEmail(emails[0], to: beta.fund, if: nil, of: ann)
        _ = try await store.administration.renameFund(harness.fund.id, to: "Given", actor: "test")
        _ = try await store.administration.giveFund(harness.fund.id, to: bob.id, actor: "test")
        return (try StoreTemplate(harness), bob, moved)
    }

    private func repair(without pages: [String]) async throws -> VerifyReport {
        for page in pages { try damaged.zeroPage(of: page) }
        return try await store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
    }

    private func list(_ sql: String) throws -> [String] { try store.connection.read("list") { try $0.values(sql) } }

    /// Items of the backup as they were last, and their owners.
    private func state() throws -> [String] {
        try ["file", "email", "note"].flatMap { table in
            let columns = table == "file" ? "blob_id || ' ' || size || ' ' || (deleted_at IS NOT NULL)" : "user_id"
            return try list(
                """
                SELECT '\(table) ' || id || ' in ' || fund_id || ': ' || \(columns) FROM \(table)
                WHERE id <= \(moved.last.id) ORDER BY id
                """)
        }
            + list(
                """
                SELECT 'deleted ' || kind || ' ' || item_id || ' ' || owner_id || ' ' || root_id || ' '
                    || (purged_at IS NOT NULL) FROM deletion WHERE item_id < \(StoreHistory.passedIDs)
                    ORDER BY kind, item_id
                """)
            + list(
                """
                SELECT 'misrouted ' || id || ' ' || ifnull(resolution, 'waits') || ' ' || ifnull(email_id, '') || ' '
                    || ifnull(note, '') FROM misroute ORDER BY id
                """)
    }

    /// Items of `ann` in a fund of bob, and the other way round.
    private func strays() throws -> [String] {
        try list(
            """
            SELECT 'file ' || file.id FROM file JOIN fund ON fund.id = fund_id JOIN change ON kind = 2
                AND item_id = file.id WHERE fund.owner_id <> change.user_id
            UNION ALL SELECT 'folder ' || folder.id FROM folder JOIN fund ON fund.id = fund_id JOIN change ON kind = 1
                AND item_id = folder.id WHERE fund.owner_id <> change.user_id
            UNION ALL SELECT 'email ' || email.id FROM email JOIN fund ON fund.id = fund_id
                WHERE fund.owner_id <> user_id
            UNION ALL SELECT 'note ' || note.id FROM note JOIN fund ON fund.id = fund_id WHERE fund.owner_id <> user_id
            """)
    }

    /// Indexes have pages of their own, which say what the rows were.
    @Test(arguments: ["file", "email", "note", "deletion", "misroute"])
    func comesBackAsItWasLast(_ table: String) async throws {
        // A row of an email that is newer than the backup cannot come from there.
        if table == "misroute" { try await harness.assign(MisrouteRecord.ID(2), to: harness.fund, of: bob) }
        let before = try state()
        let report = try await repair(without: [table])
        #expect(try state() == before, "\(report.findings)")
        #expect(try strays() == [])
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .library } == [])
    }

    /// Without an index the feed of changes says whose an item is; without that, too, it is of whose it was.
    @Test(arguments: [
        ["folder", "folder_name"], ["file", "file_live"], ["file", "file_live", "change"], ["email", "email_user"],
        ["email", "email_user", "change"], ["folder", "folder_name", "row_check"],
        ["folder", "folder_name", "row_check", "change"],
    ])
    func liesInNoFundOfAnother(_ pages: [String]) async throws {
        let report = try await repair(without: pages)
        #expect(try strays() == [])
        let bobs = try list(
            """
            SELECT 'file' FROM file JOIN fund ON fund.id = fund_id WHERE owner_id = \(bob.id) AND file.id =
                \(moved.file.id)
            UNION ALL SELECT 'folder' FROM folder JOIN fund ON fund.id = fund_id WHERE owner_id = \(bob.id)
                AND folder.id = \(moved.folder.id)
            UNION ALL SELECT 'email' FROM email JOIN fund ON fund.id = fund_id WHERE owner_id = \(bob.id)
                AND email.id = \(moved.email)
            """)
        #expect(bobs == [], "\(report.findings)")
        #expect(!report.isSound)
        let recovered = try list("SELECT name FROM fund WHERE owner_id = \(ann.id)")
        #expect(recovered == ["Beta", FundRows.recovered], "\(report.findings)")
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .library } == [])
    }

    /// Without indexes and deletions an email that changed since may have been deleted: it is in the trash.
    @Test func deletionsMayBeLost() async throws {
        let report = try await repair(without: ["deletion", "deletion_owner"])
        let live = try list(
            """
            SELECT id || '' FROM email
            WHERE NOT EXISTS (SELECT 1 FROM deletion WHERE kind = 3 AND item_id = email.id) ORDER BY id
            """)
        #expect(!live.contains("2") && !live.contains("3"), "\(live)")
        #expect(!report.isSound)
    }

    // MARK: A store in use

    private func damage(_ sql: String) throws {
        try store.connection.write("change rows", .reserve) { db in
            try db.execute(sql)
            // The feeds hear nothing of a page that holds what it held before.
            try db.execute("DELETE FROM change_due")
        }
    }

    @Test func verifyNamesStrays() async throws {
        try damage("UPDATE file SET fund_id = \(harness.fund.id) WHERE id = \(moved.file.id)")
        let report = try await store.maintenance.verify()
        #expect(report.findings.map(\.detail) == ["file \(moved.file.id) is of another person than its fund"])
        #expect(try await store.maintenance.verify(repairing: KnownParts([])).isSound)
        #expect(try strays() == [])
        #expect(try await store.library.file(moved.file.id, of: ann.id).name == "moved.txt")
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// All that a repair would move is told of before, also of an email whose own row names the owner of the fund.
    @Test func verifyNamesStrayMail() async throws {
        let email = moved.email
        try damage("UPDATE email SET fund_id = \(harness.fund.id), user_id = \(bob.id) WHERE id = \(email)")
        let report = try await store.maintenance.verify()
        #expect(report.findings.map(\.detail) == ["email \(email) is of another person than its fund"])
        #expect(try await store.maintenance.verify(repairing: KnownParts([])).isSound)
        #expect(try list("SELECT user_id || '' FROM email WHERE id = \(email)") == ["\(ann.id)"])
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// A folder takes only what is in its own fund into the trash.
    @Test func foldersTakeNothingOfOtherFunds() async throws {
        let folder = try await store.library.addFolder("bobs", in: LibraryPlace(fund: harness.fund.id), of: bob.id)
        try damage("UPDATE file SET folder_id = \(folder.id) WHERE id = \(moved.file.id)")
        try await store.library.delete(.folder(folder.id), of: bob.id)
        _ = try await store.library.emptyTrash(of: bob.id)
        #expect(try await store.library.file(moved.file.id, of: ann.id).name == "moved.txt")
    }
}
