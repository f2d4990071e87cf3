import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Rows of a fund with a guest come from an old backup: what is in it stays in the fund, and its owner has the trash.
@Suite struct SharedFundRepairTests {
    private let damaged: DamagedStore
    private let bob: User
    private let files: [FileEntry]
    private let note: NoteEntry.ID
    private var store: FundStore { damaged.harness.store }
    private var ann: User.ID { damaged.harness.ann.id }

    private static let beginning = Task { try await fill() }

    init() async throws {
        let beginning = try await Self.beginning.value
        damaged = try DamagedStore(beginning.template)
        (bob, files, note) = (beginning.bob, beginning.files, beginning.note)
    }

    /// Ann's fund has three files and a note, and bob is its guest. After the backup she renames the first file and
    /// deletes the second, he marks the third.
    private static func fill() async throws -> (
        template: StoreTemplate, bob: User, files: [FileEntry], note: NoteEntry.ID
    ) {
        let damaged = try await DamagedStore()
        let (harness, store, ann) = (damaged.harness, damaged.harness.store, damaged.harness.ann.id)
        let place = LibraryPlace(fund: harness.fund.id)
        let bob = try await store.administration.addUser(
            email: "bob@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        _ = try await store.library.addFund("Bobs", of: bob.id)
        var files: [FileEntry] = []
        for name in ["renamed.txt", "deleted.txt", "marked.txt"] {
            let upload = try store.library.makeUpload(named: name, announcing: nil)
            try Array(name.utf8).withUnsafeBytes { try upload.append($0) }
            files.append(
                try await store.library.addFile(
                    upload.finish(contentType: "text/plain"), at: FileTarget(name, in: place, ifTaken: .refuse),
                    of: ann))
        }
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: place.fund, of: ann)
        try store.connection.write("add a member") { db in
            try db.execute("INSERT INTO fund_member VALUES (?, ?, 'guest')", [bob.id, place.fund])
            for kind in ItemKind.allCases { try ChangeFeed.complete(db, kind) }
        }
        _ = try await store.maintenance.backUp(to: damaged.backup)
        _ = try await store.library.move(
            .file(files[0].id), to: place, named: "other.txt", ifTaken: .refuse, of: ann)
        try await store.library.delete(.file(files[1].id), of: ann)
        try await store.library.setFavourite(true, .file(files[2].id), of: bob.id)
        return (try StoreTemplate(harness), bob, files, note.id)
    }

    /// Items with their fund, and deletions with whose trash has them.
    private func state() throws -> [String] {
        try store.connection.read("list") { db in
            try db.values(
                """
                SELECT 'file ' || id || ' in ' || fund_id || (CASE WHEN deleted_at IS NULL THEN '' ELSE ' deleted' END)
                    FROM file
                UNION ALL SELECT 'note ' || id || ' in ' || fund_id || ' of ' || user_id FROM note
                UNION ALL SELECT 'deleted ' || kind || ' ' || item_id || ' of ' || owner_id FROM deletion ORDER BY 1
                """)
        }
    }

    /// Without an index the feeds tell what changed, and without the pages of members whose it is.
    @Test(arguments: [
        ["fund_member"], ["file", "file_live"], ["file", "file_live", "fund_member"],
        ["note", "note_fund", "row_check"], ["fund"],
        ["fund", "fund_owner", "row_check"],
    ])
    func staysWithItsOwner(_ pages: [String]) async throws {
        let before = try state()
        for page in pages { try damaged.zeroPage(of: page) }
        let report = try await store.maintenance.verify(repairing: KnownParts([]), from: damaged.backup)
        let fund = damaged.harness.fund.id
        var expected = before
        if pages.contains("file") {
            // A file that changed since the backup may have been deleted.
            expected = before.map { $0 == "file \(files[0].id) in \(fund)" ? "\($0) deleted" : $0 }
            expected.append("deleted \(ItemKind.file.rawValue) \(files[0].id) of \(ann)")
        }
        #expect(try state() == expected.sorted(), "\(report.findings)")
        #expect(try await store.library.file(files[2].id, of: ann).fund == fund)
        #expect(try await store.library.note(note, of: ann).fund == fund)
        #expect(try await store.library.funds(of: ann).map(\.id) == [fund], "\(report.findings)")
        let bobs = try await store.library.funds(of: bob.id).map(\.name).sorted()
        let changes = try await store.library.changes(of: bob.id, after: nil, limit: 100).changes
        let isGone = changes.first { $0.item == .file(files[2].id) }?.isDeleted
        #expect(isGone == pages.contains("fund_member"), "\(report.findings)")
        #expect(bobs == (pages.contains("fund_member") ? ["Bobs"] : ["Bobs", "Fund1"]), "\(report.findings)")
        #expect(try await store.maintenance.verify().findings.filter { $0.kind == .library } == [])
    }
}
