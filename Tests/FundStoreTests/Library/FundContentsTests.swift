import FundCore
import TestSupport
import Testing

@testable import FundStore

/// All that a fund has, in one list.
@Suite struct FundContentsTests {
    private func walk(
        _ harness: LibraryHarness, limit: Int, isOldestFirst: Bool = false,
        _ change: (inout FileFilter) -> Void = { _ in }
    ) async throws -> [FundContent] {
        var (items, page, filter): ([FundContent], PageQuery, FileFilter) = ([], PageQuery(limit: limit), FileFilter())
        change(&filter)
        while true {
            let found = try await harness.store.library.contents(
                of: harness.top.fund, isOldestFirst: isOldestFirst, matching: filter, page, of: harness.ann)
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
            try await harness.put("upload \(index).txt", "\(index)")
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
        let times = items.dropFirst(4).map(time)
        #expect(times == times.sorted(by: >))
        // Turned round it has the same rows, and the folders stand first all the same.
        let turned = try await walk(harness, limit: limit, isOldestFirst: true)
        #expect(turned.prefix(4) == items.prefix(4))
        #expect(Array(turned.dropFirst(4)) == items.dropFirst(4).reversed())
        // One steps through the rows, and passes folders over.
        let rows = items.dropFirst(4).map(\.itemID)
        for (index, row) in rows.enumerated() where limit == 500 {
            let found = try await harness.store.library.neighbours(
                of: row, in: harness.top.fund, isOldestFirst: false, matching: FileFilter(), of: harness.ann)
            #expect(found.previous?.itemID == (index == 0 ? nil : rows[index - 1]))
            #expect(found.next?.itemID == (index + 1 == rows.count ? nil : rows[index + 1]))
        }
    }

    private func time(_ item: FundContent) -> Timestamp {
        switch item {
        case .placed(let row):
            guard case .file(let file) = row.item else { return Timestamp(.max) }
            return file.modifiedAt
        case .email(let email): return email.receivedAt
        case .note(let note): return note.modifiedAt
        }
    }

    /// Mail and notes are of no kind, notes have no sender, and folders stand in no list that is narrowed down.
    @Test(arguments: [1, 500]) func filtersLeaveOut(limit: Int) async throws {
        let harness = try await LibraryHarness()
        _ = try await harness.folder("folder")
        let parts = ["came.pdf", "came.xls"].map { StoreHarness.Part(name: $0, bytes: Array($0.utf8)) }
        let message = try await harness.base.file("Subject: 1\n\n1", parts: parts)
        let email = LibraryItemID.email(try #require(message.emailID))
        try await harness.put("upload.pdf")
        let note = try await harness.store.library.addNote(
            NoteText(title: "note", content: "text"), in: harness.top.fund, of: harness.ann)
        func names(_ change: (inout FileFilter) -> Void) async throws -> Set<String> {
            Set(
                try await walk(harness, limit: limit, change).map { item in
                    switch item {
                    case .placed(let row): row.item.name
                    case .email: "mail"
                    case .note: "note"
                    }
                })
        }
        let all: Set = ["came.pdf", "came.xls", "upload.pdf", "mail", "note"]
        #expect(try await names { _ in } == all.union(["folder"]))
        #expect(try await names { $0.kind = .pdf } == ["came.pdf", "upload.pdf"])
        #expect(try await names { $0.sender = "ann@" } == ["came.pdf", "came.xls", "mail"])
        #expect(try await names { ($0.sender, $0.kind) = ("ann@", .sheet) } == ["came.xls"])
        #expect(try await names { $0.sender = "bob@" } == [])
        let times = try await walk(harness, limit: 500) { $0.until = Timestamp(.max) }.map { ($0.itemID, time($0)) }
        #expect(times.count == all.count)
        for (item, time) in times where item == email || item == .note(note.id) {
            let kept = try await walk(harness, limit: limit) {
                ($0.since, $0.until) = (time, time + .seconds(1))
            }
            #expect(kept.contains { $0.itemID == item } && kept.allSatisfy { self.time($0) == time })
            #expect(try await !walk(harness, limit: limit) { $0.until = time }.contains { $0.itemID == item })
        }
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
