import TestSupport
internal import Foundation
import FundCore
import Testing

@testable import FundStore

@Suite struct ChangeTests {
    private func feed(_ harness: LibraryHarness, after number: Int64?) async throws -> [LibraryItemID: Bool] {
        let epoch = try await harness.store.library.changes(of: harness.ann, after: nil, limit: 1).cursor.epoch
        var (result, cursor): ([LibraryItemID: Bool], ChangeCursor?) = (
            [:], number.map { ChangeCursor(epoch: epoch, number: $0) }
        )
        while true {
            let page = try await harness.store.library.changes(of: harness.ann, after: cursor, limit: 2)
            for change in page.changes {
                #expect(result[change.item] == nil, "\(change.item) came twice")
                #expect(change.cursor.number > cursor?.number ?? 0)
                cursor = change.cursor
                result[change.item] = change.isDeleted
            }
            #expect(page.cursor == cursor ?? ChangeCursor(epoch: epoch, number: 0))
            if !page.hasMore { return result }
        }
    }

    @Test func eachOnceWithItsLatestChange() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let email = try #require(
            try await harness.base.file("a: b\n\nc", parts: [StoreHarness.Part(name: "q", bytes: [1])]).emailID)
        let q = try await harness.id("q")
        let folder = try await harness.folder("folder")
        let file = try await harness.put("file", in: harness.place(folder))
        let note = try await store.library.addNote(NoteText(title: "t", content: "c"), in: harness.top.fund, of: ann)
        for text in ["1", "2", "3"] {
            _ = try await store.library.changeNote(
                note.id, to: NoteText(title: text, content: ""), unlessChangedSince: nil, of: ann)
        }
        #expect(
            try await feed(harness, after: nil) == [
                .fund(harness.top.fund): false, .email(email): false, q: false, .folder(folder.id): false,
                .file(file.id): false, .note(note.id): false,
            ])
        var cursor = try await store.library.latestChange(of: ann).number
        #expect(try await feed(harness, after: cursor) == [:])

        let steps: [(String, @Sendable () async throws -> Void, [LibraryItemID: Bool])] = [
            (
                "a favourite", { try await store.library.setFavourite(true, .email(email), of: ann) },
                [.email(email): false]
            ),
            ("a deleted email", { try await store.library.deleteEmail(email, of: ann) }, [.email(email): true]),
            ("a restored email", { _ = try await store.library.restoreEmail(email, of: ann) }, [.email(email): false]),
            (
                "a deleted folder", { try await store.library.delete(.folder(folder.id), of: ann) },
                [.folder(folder.id): true, .file(file.id): true]
            ),
            (
                "a restored folder", { _ = try await store.library.restore(.folder(folder.id), of: ann) },
                [.folder(folder.id): false, .file(file.id): false]
            ),
            ("a renamed file", { try await harness.move(q, to: harness.top, named: "r") }, [q: false]),
            (
                "a renamed fund", { _ = try await store.library.renameFund(harness.top.fund, to: "f", of: ann) },
                [.fund(harness.top.fund): false]
            ),
            (
                "a deleted fund", { try await store.library.deleteFund(harness.top.fund, of: ann) },
                [.fund(harness.top.fund): true]
            ),
            (
                "a restored fund", { _ = try await store.library.restore(.fund(harness.top.fund), of: ann) },
                [
                    .fund(harness.top.fund): false, .email(email): false, q: false, .folder(folder.id): false,
                    .file(file.id): false, .note(note.id): false,
                ]
            ),
            ("nothing", { _ = try await store.library.funds(of: ann) }, [:]),
        ]
        for (name, step, expected) in steps {
            try await step()
            #expect(try await feed(harness, after: cursor) == expected, "\(name)")
            let next = try await store.library.latestChange(of: ann).number
            #expect((next > cursor) == !expected.isEmpty, "\(name)")
            cursor = next
        }
        // A client that was away while a fund was deleted does not keep the items of the fund.
        try await store.library.deleteFund(harness.top.fund, of: ann)
        #expect(Set(try await feed(harness, after: nil).values) == [true])
    }

    /// A cursor counts in the history that gave it: not in a store that was restored from a backup, whatever happened
    /// since.
    @Test(arguments: [0, 1, 5]) func aRestoredStoreRefusesCursorsOfItsFuture(startsLater: Int) async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        func cursor(_ store: FundStore) async throws -> ChangeCursor {
            try await store.library.changes(of: ann, after: nil, limit: 1000).cursor
        }
        func outcome(_ cursor: ChangeCursor, in store: FundStore) async -> StoreError.Code? {
            await failure { _ = try await store.library.changes(of: ann, after: cursor, limit: 10) }
        }
        try await store.library.beginChangeEpoch()
        _ = try await store.library.addFund("before", of: ann)
        let before = try await cursor(store)
        let backup = harness.base.folder + "/backup"
        try FileManager.default.copyItem(atPath: harness.base.folder + "/store", toPath: backup)
        for index in 0..<startsLater {
            _ = try await store.library.addFund("later \(index)", of: ann)
            try await store.library.beginChangeEpoch()
        }
        _ = try await store.library.addFund("after", of: ann)
        let after = try await cursor(store)
        #expect(await outcome(before, in: store) == nil)
        #expect(await outcome(after, in: store) == nil)
        let restored = try FundStore.open(at: backup, mode: .existing)
        #expect(await outcome(after, in: restored) == .outdated)
        try await restored.library.beginChangeEpoch()
        for index in 0..<20 { _ = try await restored.library.addFund("other \(index)", of: ann) }
        #expect(await outcome(after, in: restored) == .outdated)
        #expect(await outcome(before, in: restored) == nil)
        let other = try await cursor(restored)
        #expect(await outcome(other, in: restored) == nil)
        try restored.close()
    }
}
