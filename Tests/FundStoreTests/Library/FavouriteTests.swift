import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The list of favourites of all kinds.
@Suite struct FavouriteTests {
    private struct Items {
        var fund: LibraryItemID
        var file: LibraryItemID
        var email: LibraryItemID
        var note: LibraryItemID

        var all: [LibraryItemID] { [fund, file, email, note] }
    }

    private func marked(_ harness: LibraryHarness) async throws -> Items {
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        let note = try await library.addNote(NoteText(title: "Call", content: "c"), in: fund, of: ann)
        let email = try #require(try await harness.base.file("Subject: mail\n\nmail").emailID)
        let items = Items(
            fund: .fund(fund), file: .file(try await harness.put("report.pdf").id), email: .email(email),
            note: .note(note.id))
        for item in items.all { try await library.setFavourite(true, item, of: ann) }
        return items
    }

    private func list(_ harness: LibraryHarness) async throws -> [LibraryItemID] {
        try await harness.store.library.favourites(of: harness.ann, PageQuery()).items.map(\.item)
    }

    @Test func showsWhatIsMarkedAndThere() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        #expect(try await list(harness).isEmpty)
        let items = try await marked(harness)
        let entries = try await library.favourites(of: ann, PageQuery()).items
        #expect(entries.map(\.item) == items.all)
        #expect(entries.allSatisfy { $0.fund == harness.base.fund.id && $0.fundName == "Fund1" })
        #expect(entries.map(\.name).first == "Fund1" && entries[1].name == "report.pdf" && entries[3].name == "Call")
        #expect(entries.map(\.contentType) == [nil, "text/plain", nil, nil])
        #expect(entries.map(\.sender) == [nil, nil, "ann@example.com", nil])
        let content = PreviewedFile(digest: .of(Array("content".utf8)), size: 7)
        #expect(entries.map(\.content) == [nil, content, nil, nil])
        // Another's marks are their own.
        #expect(try await library.favourites(of: harness.bob.id, PageQuery()).items.isEmpty)
        try await library.setFavourite(false, items.email, of: ann)
        #expect(try await list(harness) == [items.fund, items.file, items.note])
    }

    @Test func goesAndComesWithWhatIsMarked() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        let items = try await marked(harness)
        try await library.delete(items.file, of: ann)
        #expect(try await list(harness) == [items.fund, items.email, items.note])
        _ = try await library.restore(items.file, of: ann)
        #expect(try await list(harness) == items.all)
        try await library.deleteFund(fund, of: ann)
        #expect(try await list(harness).isEmpty)
        _ = try await library.restore(items.fund, of: ann)
        #expect(try await list(harness) == items.all)
        try await library.archiveFund(fund, if: nil, of: ann)
        #expect(try await list(harness).isEmpty)
        _ = try await library.restore(items.fund, of: ann)
        #expect(try await list(harness) == items.all)
        try await library.delete(items.file, of: ann)
        _ = try await library.emptyTrash(of: ann)
        #expect(try await list(harness) == [items.fund, items.email, items.note])
    }

    @Test(arguments: 1...5)
    func comesInPages(limit: Int) async throws {
        let harness = try await LibraryHarness()
        var items = try await marked(harness).all
        for number in 1...3 {
            let file = LibraryItemID.file(try await harness.put("\(number)").id)
            try await harness.store.library.setFavourite(true, file, of: harness.ann)
            items.insert(file, at: 1)
        }
        var (found, cursor): ([LibraryItemID], String?) = ([], nil)
        repeat {
            let page = try await harness.store.library.favourites(
                of: harness.ann, PageQuery(limit: limit, cursor: cursor))
            #expect(page.items.count <= limit)
            found += page.items.map(\.item)
            cursor = page.next
        } while cursor != nil
        #expect(found == items)
    }

    /// A client may mark as many as it likes.
    @Test func aPageIsReadFromWhereItBegins() async throws {
        let harness = try await LibraryHarness()
        let ann = harness.ann
        let items = try await marked(harness).all
        try harness.store.connection.write("") { db in
            try db.execute(
                """
                WITH RECURSIVE number (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 5000)
                INSERT INTO file (fund_id, folder_id, name, name_key, blob_id, size, content_type,
                    created_at, modified_at)
                SELECT fund_id, folder_id, 'n' || n, 'n' || n, blob_id, size, content_type, created_at,
                    modified_at
                FROM file, number WHERE file.id = ?
                """, [items[1].number])
            try db.execute(
                "INSERT INTO favourite SELECT ?, 2, id FROM file WHERE id != ?", [ann, items[1].number])
        }
        let first = try await harness.store.library.favourites(of: ann, PageQuery(limit: 3))
        #expect(first.items.map(\.name) == ["Fund1", "n5000", "n4999"])
        let second = try await harness.store.library.favourites(of: ann, PageQuery(limit: 3, cursor: first.next))
        #expect(second.items.map(\.name) == ["n4998", "n4997", "n4996"])
    }

    /// Like deleting it, but for good until it is wanted again.
    @Test func archivesAFund() async throws {
        let harness = try await LibraryHarness()
        let (library, ann, fund) = (harness.store.library, harness.ann, harness.base.fund.id)
        #expect(await failure { try await library.archiveFund(harness.bobsFund.id, if: nil, of: ann) } == .notFound)
        let refused = await failure { try await library.archiveFund(fund, if: { _ in false }, of: ann) }
        #expect(refused == .preconditionFailed)
        _ = try await library.changeFund(fund, name: nil, aliases: ["Also"], of: ann)
        try await library.archiveFund(fund, if: nil, of: ann)
        #expect(await failure { _ = try await library.fund(fund, of: ann) } == .notFound)
        #expect(await failure { try await library.archiveFund(fund, if: nil, of: ann) } == .notFound)
        // Its names are free, and mail finds it no more.
        #expect(try harness.store.mail.directory().funds(of: ann).isEmpty)
        _ = try await library.addFund("Also", of: ann)
        guard case .fund(let entry) = try await library.deletedItems(of: ann).first else {
            Issue.record("it is not in the trash")
            return
        }
        #expect(entry.isArchived && entry.deletedAt != nil)
        _ = try await library.emptyTrash(of: ann)
        guard case .fund(let back) = try await library.restore(.fund(fund), of: ann) else { return }
        #expect(back.name == "Fund1" && back.aliases.isEmpty && !back.isArchived)
    }
}
