import TestSupport
import FundCore
import Testing

@testable import FundStore

/// Lists in pages: whole however they are cut, and bounded.
@Suite struct ListTests {
    /// All pages of `limit` after one another, each checked against it.
    private func walk<Item>(_ limit: Int, _ page: (PageQuery) async throws -> ListPage<Item>) async throws -> [Item] {
        var (items, cursor, rounds): ([Item], String?, Int) = ([], nil, 0)
        repeat {
            let next = try await page(PageQuery(limit: limit, cursor: cursor))
            #expect(next.items.count <= limit)
            items += next.items
            cursor = next.next
            rounds += 1
        } while cursor != nil && rounds < 1000
        #expect(cursor == nil)
        return items
    }

    @Test(arguments: [1, 2, 3, 500]) func pagesMakeTheWhole(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        for name in ["b", "B2", "ä", "10", "9"] {
            try await harness.put(name, String(repeating: "x", count: name.utf8.count))
            _ = try await harness.folder("\(name) folder")
            _ = try await store.library.addFund("Fund \(name)", of: ann)
        }
        let whole = try await store.library.children(of: harness.top, of: ann).map(\.itemID)
        let children = try await walk(limit) {
            try await store.library.children(of: harness.top, by: ItemOrder(), $0, of: ann)
        }
        #expect(children.map(\.itemID) == whole && whole.count == 10)
        #expect(try await store.library.countChildren(of: harness.top, of: ann) == 10)
        #expect(try await walk(limit) { try await store.library.funds(of: ann, $0) } == store.library.funds(of: ann))
        #expect(
            try await walk(limit) { try await store.administration.users(matching: nil, $0) }
                == store.administration.users())
        #expect(
            try await walk(limit) { try await store.administration.funds(FundFilter(), $0) }
                == store.administration.funds())
        let audit = try await walk(limit) { try await store.administration.audit(AuditFilter(), $0) }.map(\.id)
        #expect(audit == Array((1...Int64(audit.count)).reversed().map { ID($0) }))
        for key in ItemOrder.Key.allCases {
            for isDescending in [false, true] {
                let items = try await walk(limit) {
                    try await store.library.children(
                        of: harness.top, by: ItemOrder(key, isDescending: isDescending), $0, of: ann)
                }
                #expect(Set(items.map(\.itemID)) == Set(whole) && items.count == 10)
                let sizes = items.compactMap { item -> Int64? in
                    if case .file(let file) = item { file.size } else { nil }
                }
                if key == .size { #expect(sizes == (isDescending ? sizes.sorted(by: >) : sizes.sorted())) }
            }
        }
    }

    /// However many files lie in a place, a page of them is read, not all.
    @Test(arguments: ItemOrder.Key.allCases, [false, true]) func ordersComeFromIndexes(
        key: ItemOrder.Key, isDescending: Bool
    ) async throws {
        let harness = try await LibraryHarness()
        try harness.expectIndex(of: ItemOrder(key, isDescending: isDescending))
        try harness.store.connection.read("") { db in
            // All files of a fund are read as they lie in the table, nearly.
            let whole = try db.rows(
                "EXPLAIN QUERY PLAN SELECT sum(size) FROM file WHERE fund_id = 1 AND deleted_at IS NULL")
            #expect(whole.contains { ($0[3] as String).contains("USING INDEX file_live") })
        }
    }

    /// Also across things that are out of sight, and with archived funds among them.
    @Test(arguments: [1, 2, 500]) func theTrashHasPages(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let gone = try await store.library.addFund("Gone", of: ann).id
        for index in 0..<30 {
            let file = try await harness.put("hidden \(index)", in: LibraryPlace(fund: gone))
            try await store.library.delete(.file(file.id), of: ann)
        }
        try await store.library.deleteFund(gone, of: ann)
        let archived = try await store.library.addFund("Archived", of: ann).id
        try await store.administration.archiveFund(archived, actor: "t")
        let folder = try await harness.folder("folder")
        try await harness.put("in it", in: harness.place(folder))
        try await store.library.delete(.folder(folder.id), of: ann)
        let file = try await harness.put("file")
        try await store.library.delete(.file(file.id), of: ann)
        for key in TrashOrder.Key.allCases {
            for isDescending in [true, false] {
                let order = TrashOrder(key, isDescending: isDescending)
                let items = try await walk(limit) { try await store.library.deletedItems(of: ann, by: order, $0) }
                let all: Set<LibraryItemID> = [.fund(gone), .fund(archived), .folder(folder.id), .file(file.id)]
                #expect(items.count == 4 && Set(items.map(\.itemID)) == all)
                switch key {
                case .name:
                    let names = ["Archived", "file", "folder", "Gone"]
                    #expect(items.map(\.name) == (isDescending ? names.reversed() : names))
                case .size: #expect((isDescending ? items.first : items.last)?.itemID == .file(file.id))
                case .deletedAt: break
                }
            }
        }
    }

    /// Deleted mail and notes: what was deleted last comes first, and only what can be restored.
    @Test(arguments: [1, 2, 500]) func listsDeletedMailAndNotes(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        let gone = try await store.library.addFund("Gone", of: ann).id
        let lost = try await store.library.addNote(NoteText(title: "lost", content: ""), in: gone, of: ann)
        try await store.library.deleteNote(lost.id, unlessChangedSince: nil, of: ann)
        try await store.library.deleteFund(gone, of: ann)
        var items: [LibraryItemID] = []
        for title in ["<b>", "", "c"] {
            let note = try await store.library.addNote(NoteText(title: title, content: "c"), in: fund, of: ann)
            try await store.library.deleteNote(note.id, unlessChangedSince: nil, of: ann)
            items.append(.note(note.id))
        }
        for text in ["Subject: one\n\n1", "From: x@y.example\n\n2", "Subject: kept\n\n3"] {
            let email = try #require(try await harness.base.file(text).emailID)
            guard !text.contains("kept") else { continue }
            try await store.library.deleteEmail(email, of: ann)
            items.append(.email(email))
        }
        try harness.store.connection.write("") { db in
            for (index, item) in items.enumerated() {
                try db.execute(
                    "UPDATE deletion SET at = ? WHERE kind = ? AND item_id = ?",
                    [1000 + index / 2, item.kind.rawValue, item.number])
            }
        }
        let found = try await walk(limit) { try await store.library.deletedTexts(of: ann, $0) }
        #expect(Set(found.map(\.item)) == Set(items) && found.count == items.count)
        #expect(found.map(\.deletedAt) == [1002, 1001, 1001, 1000, 1000])
        #expect(found.allSatisfy { $0.fundName == "Fund1" } && found.map(\.title).contains("<b>"))
        #expect(try await store.library.deletedTexts(of: harness.bob.id, PageQuery()).items.isEmpty)
        guard case .email(let email)? = items.last else { return }
        _ = try await store.library.restoreEmail(email, of: ann)
        #expect(try await store.library.deletedTexts(of: ann, PageQuery()).items.count == 4)
        _ = try await store.library.emptyTrash(of: ann)
        #expect(try await store.library.deletedTexts(of: ann, PageQuery()).items.isEmpty)
    }

    @Test(arguments: [1, 2, 500]) func notesAreOrdered(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        for title in ["b", "a\nb", "c", "a", "", "b"] {
            _ = try await store.library.addNote(NoteText(title: title, content: "c"), in: fund, of: ann)
        }
        let gone = try await store.library.addNote(NoteText(title: "d", content: "c"), in: fund, of: ann)
        try await store.library.deleteNote(gone.id, unlessChangedSince: nil, of: ann)
        for key in NoteOrder.Key.allCases {
            for isDescending in [true, false] {
                let order = NoteOrder(key, isDescending: isDescending)
                let notes = try await walk(limit) { try await store.library.notes(in: fund, by: order, $0, of: ann) }
                #expect(notes.count == 6 && Set(notes.map(\.id)).count == 6)
                let titles = ["", "a", "a\nb", "b", "b", "c"]
                if key == .title { #expect(notes.map(\.text.title) == (isDescending ? titles.reversed() : titles)) }
            }
        }
        #expect(try await store.library.countNotes(in: fund, of: ann) == 6)
    }

    @Test(arguments: [1, 2, 500]) func emailsComeInBothDirections(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        var ids: [EmailSummary.ID] = []
        for index in 0..<5 { ids.append(try #require(try await harness.base.file("mail \(index)").emailID)) }
        try await store.library.deleteEmail(ids.removeLast(), of: ann)
        for isOldestFirst in [true, false] {
            let found = try await walk(limit) { page in
                var query = EmailQuery()
                (query.fund, query.isOldestFirst) = (fund, isOldestFirst)
                (query.limit, query.cursor) = (page.limit, page.cursor)
                return try await store.library.emails(query, of: ann)
            }
            #expect(found.map(\.id) == (isOldestFirst ? ids : ids.reversed()))
        }
        #expect(try await store.library.countEmails(in: fund, of: ann) == 4)
        var search = EmailQuery()
        (search.text, search.isOldestFirst) = ("mail", true)
        let refused = await failure { _ = try await store.library.emails(search, of: ann) }
        #expect(refused == .invalid)
    }

    @Test(arguments: [1, 2, 500]) func notesHavePages(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        var notes: [NoteEntry] = []
        for index in 0..<6 {
            notes.append(try await store.library.addNote(NoteText(title: "\(index)", content: "c"), in: fund, of: ann))
        }
        try await store.library.deleteNote(notes[2].id, unlessChangedSince: nil, of: ann)
        func all(since: Timestamp?) async throws -> (notes: [NoteEntry.ID], deleted: [NoteEntry.ID]) {
            var (result, cursor): ((notes: [NoteEntry.ID], deleted: [NoteEntry.ID]), String?) = (([], []), nil)
            repeat {
                let page = try await store.library.notes(
                    in: fund, since: since, PageQuery(limit: limit, cursor: cursor), of: ann)
                #expect(page.notes.count + page.deleted.count <= limit)
                result.notes += page.notes.map(\.id)
                result.deleted += page.deleted
                cursor = page.next
            } while cursor != nil
            return result
        }
        let left = notes.map(\.id).filter { $0 != notes[2].id }
        #expect(try await all(since: nil) == (left, []))
        #expect(try await all(since: 0) == (left, [notes[2].id]))
        #expect(try await all(since: Timestamp(.max)) == ([], []))
    }

    /// A page ends when its texts are large, and a single large one is a page.
    @Test func pagesAreBoundedInBytes() async throws {
        let harness = try await LibraryHarness()
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        let content = String(repeating: "€", count: 150_000)
        for index in 0..<8 {
            _ = try await store.library.addNote(NoteText(title: "\(index)", content: content), in: fund, of: ann)
        }
        var (titles, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await store.library.notes(in: fund, since: nil, PageQuery(cursor: cursor), of: ann)
            #expect(page.notes.reduce(0) { $0 + $1.text.content.utf8.count } <= (1 << 20) + content.utf8.count)
            titles += page.notes.map(\.text.title)
            cursor = page.next
        } while cursor != nil
        #expect(titles == (0..<8).map(String.init))
    }

    @Test(arguments: ["", "x", "1", "1.x", "1.2.3.4", "\n", "1.2\n", "-1.-1\nx"]) func strangeCursors(text: String)
        async throws
    {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let page = PageQuery(cursor: text)
        let lists: [() async throws -> Void] = [
            { _ = try await store.library.funds(of: ann, page) },
            { _ = try await store.library.deletedItems(of: ann, page) },
            { _ = try await store.library.deletedTexts(of: ann, page) },
            { _ = try await store.library.favourites(of: ann, page) },
            { _ = try await store.library.children(of: harness.top, by: ItemOrder(.size), page, of: ann) },
            { _ = try await store.library.notes(in: harness.top.fund, since: nil, page, of: ann) },
            { _ = try await store.library.deletedItems(of: ann, by: TrashOrder(.name), page) },
            { _ = try await store.library.notes(in: harness.top.fund, by: NoteOrder(.createdAt), page, of: ann) },
            { _ = try await store.library.notes(in: harness.top.fund, by: NoteOrder(.title), page, of: ann) },
            { _ = try await store.administration.users(matching: nil, page) },
            { _ = try await store.administration.funds(FundFilter(), page) },
            { _ = try await store.administration.audit(AuditFilter(), page) },
            { _ = try await store.administration.misroutes(MisrouteFilter(), page) },
            { _ = try await store.accounts.tokens(of: ann, page) },
        ]
        for list in lists {
            let outcome = await failure { try await list() }
            #expect(outcome == nil || outcome == .invalid)
        }
    }
}
