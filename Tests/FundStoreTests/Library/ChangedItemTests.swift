internal import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct ChangedItemTests {
    /// While things change, each change and its item are of the same moment: what is there has an item.
    @Test func changesAndItemsAreOfOneMoment() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        for index in 0..<40 { try await harness.put("f\(index)") }
        let changing = Task {
            while !Task.isCancelled {
                for index in 0..<40 {
                    let item = try await harness.id("f\(index)")
                    try await store.library.delete(item, of: ann)
                    _ = try await store.library.restore(item, of: ann)
                }
            }
        }
        for _ in 0..<200 {
            for change in try await store.library.changes(of: ann, after: nil, limit: 500, withItems: true).changes {
                #expect(change.isDeleted == (change.now == nil))
                #expect(change.now == nil || change.now?.itemID == change.item)
            }
        }
        changing.cancel()
        _ = await changing.result
    }

    /// Long notes and subjects end a page early, and none is left out.
    @Test func textsBoundAPage() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let text = String(repeating: "x", count: 400_000)
        for index in 0..<7 {
            _ = try await store.library.addNote(
                NoteText(title: "\(index)", content: text), in: harness.top.fund, of: ann)
        }
        var (titles, cursor, counts): ([String], ChangeCursor?, [Int]) = ([], nil, [])
        while true {
            let page = try await store.library.changes(of: ann, after: cursor, limit: 500, withItems: true)
            counts.append(page.changes.count)
            titles += page.changes.compactMap { if case .note(let note) = $0.now { note.text.title } else { nil } }
            cursor = page.cursor
            if !page.hasMore { break }
        }
        #expect(titles == (0..<7).map(String.init))
        #expect(counts.count == 3 && counts.allSatisfy { $0 <= 4 })
    }

    /// A fund with its aliases in their order, also when others come along.
    @Test func bringsAliases() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let other = try await store.library.addFund("other", of: ann)
        _ = try await store.library.changeFund(harness.top.fund, name: nil, aliases: ["z", "a"], of: ann)
        let changes = try await store.library.changes(of: ann, after: nil, limit: 500, withItems: true).changes
        for id in [harness.top.fund, other.id] {
            let expected = try await store.library.fund(id, of: ann)
            #expect(changes.contains { $0.now == .item(.fund(expected)) })
        }
        #expect(try await store.library.fund(harness.top.fund, of: ann).aliases == ["z", "a"])
    }

    /// `FUNDMAIL_BENCH_FILES=200000`: how long a page takes among so many files.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["FUNDMAIL_BENCH_FILES"] != nil))
    func pagesOfManyFiles() async throws {
        let harness = try await LibraryHarness()
        let count = Int(ProcessInfo.processInfo.environment["FUNDMAIL_BENCH_FILES"] ?? "") ?? 0
        let (store, ann, fund) = (harness.store, harness.ann, harness.top.fund)
        try await harness.put("first")
        try await store.library.connection.writing("fill", on: store.library.connection.queues.changes) { db in
            try db.execute(
                """
                WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
                INSERT INTO file (fund_id, folder_id, name, name_key, blob_id, size, content_type, created_at,
                    modified_at)
                SELECT ?2, NULL, 'report ' || i || '.pdf', 'report ' || i || '.pdf',
                    (SELECT blob_id FROM file LIMIT 1), 7, 'application/pdf', 1700000000, 1700000000 FROM n
                """, [count, fund])
            try ChangeFeed.note(db, all: .file, in: fund)
        }
        for withItems in [false, true] {
            var (cursor, pages, changes): (ChangeCursor?, [Duration], Int) = (nil, [], 0)
            while true {
                let start = ContinuousClock.now
                let page = try await store.library.changes(of: ann, after: cursor, limit: 500, withItems: withItems)
                pages.append(ContinuousClock.now - start)
                changes += page.changes.count
                cursor = page.cursor
                if !page.hasMore { break }
            }
            pages.sort()
            let (half, most) = (pages[pages.count / 2], pages.last ?? .zero)
            print("items \(withItems): \(changes) changes, a page takes \(half), at most \(most)")
        }
    }
}
