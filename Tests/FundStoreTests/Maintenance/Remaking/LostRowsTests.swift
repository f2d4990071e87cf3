import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Rows that came after the backup and are on a page that is lost: everyday acts of one day.
@Suite struct LostRowsTests {
    private let damaged: DamagedStore
    private let bob: User
    private var harness: StoreHarness { damaged.harness }
    private var store: FundStore { damaged.harness.store }
    private var ann: User { damaged.harness.ann }
    private static let parts = [StoreHarness.Part(name: "Part.pdf", bytes: Array("part".utf8))]

    private static let beginning = Task { try await fill() }

    init() async throws {
        let beginning = try await Self.beginning.value
        (damaged, bob) = (try DamagedStore(beginning.template), beginning.bob)
    }

    /// The backup has a folder, a file and an email. After it ann makes a fund and a folder, puts files there, renames
    /// one, moves a folder out of one that she purges, deletes a file, purges the email whose file stays, gets mail,
    /// writes a note; and Fund1 is given to bob.
    private static func fill() async throws -> (template: StoreTemplate, bob: User) {
        let damaged = try await DamagedStore()
        let (harness, store) = (damaged.harness, damaged.harness.store)
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: true, addresses: [], actor: "test")
        let (ann, library, top) = (harness.ann.id, store.library, LibraryPlace(fund: harness.fund.id))
        func put(_ name: String, _ text: String, in place: LibraryPlace) async throws -> FileEntry {
            let upload = try library.makeUpload(named: name, announcing: nil)
            try Array(text.utf8).withUnsafeBytes { try upload.append($0) }
            let staged = try upload.finish(contentType: "text/plain")
            return try await library.addFile(staged, at: FileTarget(name, in: place, ifTaken: .replace), of: ann)
        }
        func move(_ item: LibraryItemID, to place: LibraryPlace, named name: String? = nil) async throws {
            _ = try await library.move(item, to: place, named: name, ifTaken: .refuse, of: ann)
        }
        let beta = LibraryPlace(fund: try await library.addFund("Beta", of: ann).id)
        let holder = try await library.addFolder("holder", in: beta, of: ann)
        let inner = try await library.addFolder(
            "inner", in: LibraryPlace(fund: beta.fund, folder: holder.id), of: ann)
        let old = try await put("old.txt", "old", in: beta)
        let purged = try #require(try await harness.file("Subject: 1\n\n1", parts: parts).emailID)
        _ = try await store.maintenance.backUp(to: damaged.backup)

        try await move(.folder(inner.id), to: beta)
        try await library.delete(.folder(holder.id), of: ann)
        try await library.delete(.email(purged), of: ann)
        _ = try await library.emptyTrash(of: ann)
        let folder = try await library.addFolder("Q3 Reports", in: beta, of: ann)
        let inside = LibraryPlace(fund: beta.fund, folder: folder.id)
        _ = try await put("Deep.txt", "deep", in: inside)
        try await move(.file(old.id), to: inside, named: "new name.txt")
        _ = try await put("gone.txt", "before", in: beta)
        _ = try await put("gone.txt", "after", in: beta)
        let extra = try await library.addFund("Extra", of: ann)
        _ = try await put("extra.txt", "extra", in: LibraryPlace(fund: extra.id))
        _ = try await harness.file("Subject: late\n\nlate", parts: [.init(name: "Late.pdf", bytes: [1, 2, 3])])
        _ = try await library.addNote(NoteText(title: "t", content: "c"), in: beta.fund, of: ann)
        _ = try await store.administration.renameFund(top.fund, to: "Given", actor: "test")
        _ = try await store.administration.giveFund(top.fund, to: bob.id, actor: "test")
        return (try StoreTemplate(harness), bob)
    }

    private func repair(without pages: [String]) async throws -> VerifyReport {
        for page in pages { try damaged.zeroPage(of: page) }
        return try await store.maintenance.verify(repairing: KnownParts(Self.parts), from: damaged.backup)
    }

    private func list(_ sql: String) throws -> [String] { try store.connection.read("list") { try $0.values(sql) } }

    /// Rows as people see them, without regard to capital letters.
    private func state() throws -> [String] {
        try list(
            """
            SELECT 'fund ' || id || ' ' || owner_id || ' ' || lower(name) FROM fund
            UNION ALL SELECT 'folder ' || id || ' ' || fund_id || ' ' || ifnull(parent_id, 0) || ' ' || lower(name)
            FROM folder WHERE deleted_at IS NULL
            UNION ALL SELECT 'file ' || id || ' ' || fund_id || ' ' || ifnull(folder_id, 0) || ' ' || lower(name) || ' '
                || blob_id || ' ' || ifnull(attachment_id, 0) || ' ' || size FROM file WHERE deleted_at IS NULL
            UNION ALL SELECT 'email ' || id || ' ' || user_id || ' ' || fund_id || ' ' || message_id || ' '
                || hex(fingerprint) || ' ' || source FROM email
            UNION ALL SELECT 'attachment ' || id || ' ' || email_id || ' ' || blob_id FROM attachment
            UNION ALL SELECT 'deleted ' || kind || ' ' || item_id || ' ' || owner_id FROM deletion
            WHERE purged_at IS NULL ORDER BY 1
            """)
    }

    /// Whole indexes and checksums know all of it but notes.
    @Test(arguments: [
        ["folder"], ["file"], ["folder", "file"], ["email"], ["attachment"], ["file", "attachment"], ["fund"],
        ["fund", "fund_owner"], ["fund", "fund_owner", "change"],
    ])
    func areMadeAgain(_ pages: [String]) async throws {
        let before = try state()
        let report = try await repair(without: pages)
        #expect(try state() == before, "\(report.findings.map(\.detail))")
        #expect(!report.isSound || pages == ["folder"])
        #expect(try await store.maintenance.verify().findings.filter { $0.kind != .changedRow } == [])
    }

    /// Names that nothing proves are said.
    @Test(arguments: [
        ("folder", "row_check", "folder 3 “q3 reports” in Beta of ann@example.com"),
        ("file", "file_attachment", "file 3 “deep.txt” in Beta of ann@example.com"),
        ("fund", "row_check", "fund 3 is newer than the backup, and made again as “extra” of ann@example.com"),
        ("note", "row_check", "note 1 in Beta of ann@example.com"),
    ])
    func areNamed(_ table: String, _ other: String, _ text: String) async throws {
        let report = try await repair(without: [table, other])
        #expect(report.findings.contains { $0.detail.contains(text) && $0.action == .unrepairable }, "\(report)")
        #expect(!report.isSound)
    }

    /// Where the index is lost, too, what lay in a folder lies at the top of its fund.
    @Test func nothingGoesWithItsFolder() async throws {
        let report = try await repair(without: ["folder", "folder_name"])
        let names = try list("SELECT name FROM file WHERE deleted_at IS NULL AND fund_id = 2 ORDER BY name")
        #expect(names == ["Deep.txt", "gone.txt", "new name.txt"], "\(report.findings)")
        #expect(report.findings.contains { $0.detail.contains("lay in a folder that is gone") }, "\(report.findings)")
        #expect(!report.isSound)
    }

    /// The file of mail that was purged since stays, whatever of its row is lost.
    @Test func filesOutliveTheirMail() async throws {
        let report = try await repair(without: ["file", "file_live"])
        let kept = try list("SELECT 'kept' FROM file WHERE blob_id = (SELECT blob_id FROM file WHERE id = 2)")
        #expect(kept == ["kept"], "\(report.findings)")
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// A fund of which nothing that is left names the owner is held until an administrator gives it to a user.
    @Test func fundsOfNobodyAreHeld() async throws {
        let report = try await repair(without: ["fund", "fund_owner", "change", "row_check", "fund_key", "fund_member"])
        let nobody = try await store.administration.user(LostFunds.nobody).user
        #expect(nobody.isDisabled)
        let held = try store.mail.directory().funds.filter { $0.owner == nobody.id }
        #expect(held.map(\.name) == ["Fund 3"], "\(report.findings.map(\.detail))")
        #expect(report.findings.contains { $0.detail.contains("fundmail fund give \"Fund 3\"") })
        // Mail and notes say whose the others are.
        #expect(try list("SELECT owner_id || '' FROM fund ORDER BY id") == ["2", "1", "\(nobody.id)"])
        _ = try await store.administration.giveFund(held[0].id, to: ann.id, actor: "root")
        #expect(try await store.library.fund(held[0].id, of: ann.id).name == "Fund 3")
    }

    /// The ids of lost rows are given to no other item, which a deletion of the lost one would take with it.
    @Test(arguments: ["fund", "folder", "file", "note"])
    func idsAreNotGivenAgain(_ table: String) async throws {
        let before = try list("SELECT max(id) || '' FROM \(table)").first.flatMap(Int64.init) ?? 0
        _ = try await repair(without: [table])
        let fund = try await store.library.addFund("Next", of: bob.id)
        let folder = try await store.library.addFolder("next", in: LibraryPlace(fund: fund.id), of: bob.id)
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: fund.id, of: bob.id)
        let staged = try store.library.makeUpload(named: "next.txt", announcing: nil).finish(contentType: "text/plain")
        let target = FileTarget("next.txt", in: LibraryPlace(fund: fund.id), ifTaken: .refuse)
        let file = try await store.library.addFile(staged, at: target, of: bob.id)
        let ids = [
            "fund": fund.id.rawValue, "folder": folder.id.rawValue, "note": note.id.rawValue, "file": file.id.rawValue,
        ]
        #expect(try #require(ids[table]) > before + StoreHistory.passedIDs / 2)
        let dangling = try list(
            "SELECT 'deletion' FROM deletion WHERE kind = 2 AND item_id NOT IN (SELECT id FROM file)")
        #expect(dangling == [])
    }

    /// No person signs in by a row that was made again, and an address is whose its checksum proves.
    @Test(arguments: ["user", "address"]) func peopleAreMadeAgain(_ table: String) async throws {
        let cat = try await store.administration.addUser(
            email: "cat@example.com", name: "Cat", isAdministrator: true, addresses: ["c@home.example"], actor: "test")
        let fund = try await store.library.addFund("Cats", of: cat.id)
        let report = try await repair(without: [table])
        let record = try await store.administration.user("c@home.example")
        #expect(record.user.id == cat.id && record.user.email == "cat@example.com", "\(report.findings.map(\.detail))")
        #expect(record.user.isDisabled == (table == "user"))
        #expect(record.user.isAdministrator == (table == "address"))
        #expect(report.isSound == (table == "address"), "\(report.findings.map(\.detail))")
        #expect(try await store.library.fund(fund.id, of: cat.id).name == "Cats")
    }

    /// Mail that waits and acts at the desk: what was done can be undone.
    @Test(arguments: ["misroute", "desk_act"]) func theDeskGoesOn(_ table: String) async throws {
        var kept: [MisrouteRecord.ID] = []
        for number in 1...3 {
            let stored = try await harness.file("Subject: m\(number)\n\n\(number)", reason: .unknownSender)
            kept.append(try #require(stored.misrouteID))
        }
        let act = try await harness.assign(kept[0], to: harness.fund, of: bob).act
        _ = try await store.administration.reject(kept[1], note: "no", actor: "test")
        let states = "SELECT id || ' ' || ifnull(resolution, 'waits') || ' ' || ifnull(email_id, 0) FROM misroute"
        let before = try list(states)
        let report = try await repair(without: [table])
        #expect(try list(states) == before, "\(report.findings.map(\.detail))")
        #expect(!report.isSound)
        #expect(try await store.maintenance.verify().findings == [])
        try await store.administration.undo(all: act)
        #expect(try list("SELECT 'waits' FROM misroute WHERE resolution IS NULL").count == 2)
    }

    /// Deletions of nothing, as a repair before left them.
    @Test func deletionsOfNothingGo() async throws {
        try store.connection.write("leave a deletion", .reserve) { db in
            try db.execute(
                "INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id) VALUES (2, 99, ?, 5, 2, 99)",
                [ann.id])
        }
        let found = try await store.maintenance.verify().findings.map(\.detail)
        #expect(found == ["file 99 is deleted, and there is no such item"])
        #expect(try await store.maintenance.verify(repairing: KnownParts([])).isSound)
        #expect(try await store.maintenance.verify().findings == [])
    }

    /// Without checksums nothing proves that notes are as they were.
    @Test func staleNotesAreSaid() async throws {
        let report = try await repair(without: ["note", "row_check"])
        #expect(!report.isSound)
    }
}
