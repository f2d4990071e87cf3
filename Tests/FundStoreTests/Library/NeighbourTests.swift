import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The neighbours of an item in a list, and the origin of a file.
@Suite struct NeighbourTests {
    /// From one to the next through all of a folder, there and back, in every order.
    @Test func filesLeadThroughTheirFolder() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        for name in ["b", "B2", "ä", "10", "9"] { try await harness.put(name, "same") }
        _ = try await harness.folder("a folder")
        let inner = try await harness.folder("inner")
        try await harness.put("elsewhere", in: harness.place(inner))
        let gone = try await harness.put("a gone")
        try await store.library.delete(.file(gone.id), of: ann)
        for key in ItemOrder.Key.allCases {
            for isDescending in [false, true] {
                let order = ItemOrder(key, isDescending: isDescending)
                let whole = try await store.library.children(of: harness.top, by: order, PageQuery(), of: ann).items
                let files = whole.compactMap { item in
                    if case .file(let file) = item { file } else { nil }
                }
                #expect(files.count == 5)
                for (index, file) in files.enumerated() {
                    let found = try await store.library.neighbours(
                        of: file.id, by: order, matching: FileFilter(), of: ann)
                    #expect(found.previous == (index > 0 ? files[index - 1] : nil), "\(order) \(file.name)")
                    #expect(found.next == (index < 4 ? files[index + 1] : nil), "\(order) \(file.name)")
                }
            }
        }
        #expect(
            await failure {
                _ = try await store.library.neighbours(of: gone.id, by: ItemOrder(), matching: FileFilter(), of: ann)
            } == .notFound
        )
    }

    @Test func emailsLeadThroughTheirList() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        var ids: [EmailSummary.ID] = []
        for index in 0..<5 { ids.append(try #require(try await harness.base.file("mail \(index)").emailID)) }
        try await store.library.deleteEmail(ids.remove(at: 2), of: ann)
        for isOldestFirst in [false, true] {
            var query = EmailQuery()
            (query.fund, query.isOldestFirst) = (harness.top.fund, isOldestFirst)
            let list = try await store.library.emails(query, of: ann).items
            for (index, email) in list.enumerated() {
                let found = try await store.library.neighbours(of: email.id, in: query, of: ann)
                #expect(found.previous == (index > 0 ? list[index - 1] : nil))
                #expect(found.next == (index < 3 ? list[index + 1] : nil))
            }
        }
        var other = EmailQuery()
        other.sender = "nobody"
        #expect(try await store.library.neighbours(of: ids[1], in: other, of: ann) == Neighbours())
        other.text = "mail"
        #expect(await failure { _ = try await store.library.neighbours(of: ids[1], in: other, of: ann) } == .invalid)
        #expect(
            await failure { _ = try await store.library.neighbours(of: ids[1], in: EmailQuery(), of: harness.bob.id) }
                == .notFound)
    }

    @Test func hitsLeadThroughTheirSearch() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        for index in 0..<6 { try await harness.put("report \(index)") }
        _ = try await harness.folder("report folder")
        try await harness.put("other")
        var query = SearchQuery(text: "report")
        query.kind = .file
        let hits = try await store.library.search(query, of: ann).items.map(\.item)
        #expect(hits.count == 6)
        for (index, hit) in hits.enumerated() {
            let found = try await store.library.neighbours(of: hit, in: query, of: ann)
            #expect(found.previous?.item == (index > 0 ? hits[index - 1] : nil))
            #expect(found.next?.item == (index < 5 ? hits[index + 1] : nil))
        }
        #expect(
            await failure { _ = try await store.library.neighbours(of: hits[0], in: query, of: harness.bob.id) }
                == .notFound)
    }

    @Test func knowsWhereAFileCameFrom() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let parts = [
            StoreHarness.Part(name: "logo.png", bytes: Array("logo".utf8), isInline: true),
            StoreHarness.Part(name: "one.pdf", bytes: Array("one".utf8)),
            StoreHarness.Part(name: "two.pdf", bytes: Array("two".utf8)),
        ]
        let email = try #require(try await harness.base.file("with files", parts: parts).emailID)
        let id = try await harness.id("two.pdf")
        guard case .file(let file) = id else { return #expect(Bool(false), "no file") }
        let first = try await store.library.provenance(of: file, of: ann)
        #expect(first.origin?.email.id == email && first.origin?.attachment.name == "two.pdf")
        #expect(first.origin?.number == 2 && first.origin?.email.attachmentCount == 2)
        #expect(!first.isRenamed && !first.isMoved && first.sameContent.isEmpty)

        let folder = try await harness.folder("Folder")
        try await harness.move(id, to: harness.place(folder), named: "renamed.pdf")
        try await harness.put("twin.pdf", "two")
        let gone = try await harness.put("gone.pdf", "two")
        try await store.library.delete(.file(gone.id), of: ann)
        let bobs = try await store.library.addFile(
            try harness.upload("two"),
            at: FileTarget("bobs.pdf", in: LibraryPlace(fund: harness.bobsFund.id), ifTaken: .refuse),
            of: harness.bob.id)
        let second = try await store.library.provenance(of: file, of: ann)
        #expect(second.isRenamed && second.isMoved)
        #expect(second.sameContent.map(\.name) == ["twin.pdf"])
        #expect(try await store.library.provenance(of: bobs.id, of: harness.bob.id).sameContent.isEmpty)
        #expect(await failure { _ = try await store.library.provenance(of: bobs.id, of: ann) } == .notFound)

        try await store.library.deleteEmail(email, of: ann)
        #expect(try await store.library.provenance(of: file, of: ann).origin == nil)
    }

    /// By the index of who needs a blob: not through all files.
    @Test func findsTheSameBytesByTheirIndex() async throws {
        let harness = try await LibraryHarness()
        let plan = try harness.store.connection.read("") { db in
            try db.rows("EXPLAIN QUERY PLAN " + LibraryView.sharers.replacing("?2", with: "5")).map { $0[3] as String }
        }
        #expect(plan.contains { $0.contains("SEARCH other USING COVERING INDEX file_blob") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") || $0.hasPrefix("SCAN") }, "\(plan)")
    }
}
