import FundCore
import TestSupport
import Testing

@testable import FundStore

/// All that a fund has, in one list.
@Suite struct FundContentsTests {
    private func walk(_ harness: LibraryHarness, limit: Int) async throws -> [FundContent] {
        var (items, page): ([FundContent], PageQuery) = ([], PageQuery(limit: limit))
        while true {
            let found = try await harness.store.library.contents(of: harness.top.fund, page, of: harness.ann)
            #expect(found.items.count <= limit)
            items += found.items
            guard let next = found.next else { return items }
            page.cursor = next
        }
    }

    @Test(arguments: [1, 2, 3, 7, 500]) func pagesMakeTheWhole(limit: Int) async throws {
        let harness = try await LibraryHarness()
        for name in ["b", "a", "c"] { _ = try await harness.folder("\(name) folder") }
        let folder = try await harness.folder("deep")
        try await harness.put("within.txt", in: harness.place(folder))
        for index in 0..<4 {
            let part = StoreHarness.Part(name: "came \(index).pdf", bytes: [UInt8(index)])
            _ = try await harness.base.file("Subject: \(index)\n\n\(index)", parts: [part])
            try await harness.put("upload \(index).txt")
            _ = try await harness.store.library.addNote(
                NoteText(title: "note \(index)", content: "text"), in: harness.top.fund, of: harness.ann)
        }
        for _ in 0..<8 { try await harness.put("report.txt", ifTaken: .number) }
        let items = try await walk(harness, limit: limit)
        #expect(Set(items.map(\.itemID)).count == items.count)
        // Folders come first, by name; what lies in them is not in the list.
        let folders = items.prefix(4).compactMap { item -> String? in
            guard case .placed(let row) = item, case .folder(let folder) = row.item else { return nil }
            return folder.name
        }
        #expect(folders == ["a folder", "b folder", "c folder", "deep"])
        let kinds = Dictionary(grouping: items.map(\.itemID.kind)) { $0 }.mapValues(\.count)
        // The latest of eight versions stands for all.
        #expect(kinds == [.folder: 4, .file: 9, .email: 4, .note: 4])
        let times = items.dropFirst(4).map { item -> Timestamp in
            switch item {
            case .placed(let row):
                guard case .file(let file) = row.item else { return Timestamp(.max) }
                return file.modifiedAt
            case .email(let email): return email.receivedAt
            case .note(let note): return note.modifiedAt
            }
        }
        #expect(times == times.sorted(by: >))
    }

    @Test func isForTheOwnerAlone() async throws {
        let harness = try await LibraryHarness()
        let library = harness.store.library
        let foreign = harness.bobsFund.id
        #expect(
            await failure { _ = try await library.contents(of: foreign, PageQuery(), of: harness.ann) } == .notFound)
        let wrong = PageQuery(cursor: "1.2")
        #expect(
            await failure { _ = try await library.contents(of: harness.top.fund, wrong, of: harness.ann) } == .invalid)
    }
}
