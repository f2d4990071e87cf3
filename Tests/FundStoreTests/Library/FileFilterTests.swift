import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The files of a place that a filter lets through.
@Suite struct FileFilterTests {
    private func names(
        _ harness: LibraryHarness, by order: ItemOrder = ItemOrder(), limit: Int = 500,
        _ change: (inout FileFilter) -> Void
    ) async throws -> [String] {
        var (filter, page, names) = (FileFilter(), PageQuery(limit: limit), [String]())
        change(&filter)
        while true {
            let found = try await harness.store.library.rows(
                of: harness.top, by: order, matching: filter, page, of: harness.ann)
            for row in found.items {
                guard case .file(let file) = row.item else {
                    Issue.record("a folder has no kind")
                    continue
                }
                names.append(file.name)
            }
            guard let next = found.next else { return names }
            page.cursor = next
        }
    }

    @Test(arguments: [1, 2, 500]) func kindsGoByExtensions(limit: Int) async throws {
        let harness = try await LibraryHarness()
        let all = [
            "A.PDF", "a.docx", "b.xls", "c.7z", "d.tiff", "e.Mp3", "f", "g.pdfx", "h.pdf", "pdf", ".pdf", "i.key",
        ]
        for name in all { try await harness.put(name, name) }
        _ = try await harness.folder("folder.pdf")
        let expected: [FileFilter.Kind: [String]] = [
            .pdf: ["A.PDF", "h.pdf"], .document: ["a.docx"], .sheet: ["b.xls"], .archive: ["c.7z"],
            .picture: ["d.tiff"], .media: ["e.Mp3"], .slides: ["i.key"], .other: [".pdf", "f", "g.pdfx", "pdf"],
        ]
        for kind in FileFilter.Kind.allCases {
            for key in ItemOrder.Key.allCases {
                let found = try await names(harness, by: ItemOrder(key, isDescending: true), limit: limit) {
                    $0.kind = kind
                }
                #expect(found.sorted() == expected[kind]?.sorted(), "\(kind) by \(key)")
            }
        }
        // The kinds together make the whole, each file once.
        #expect(expected.values.joined().count == all.count)
        let extensions = FileFilter.Kind.allCases.flatMap(\.extensions)
        #expect(Set(extensions).count == extensions.count)
    }

    @Test func sendersAreThoseOfTheMail() async throws {
        let harness = try await LibraryHarness()
        let part = { StoreHarness.Part(name: $0, bytes: [1]) }
        _ = try await harness.base.file("Subject: 1\n\n1", parts: [part("one.pdf"), part("two.docx")])
        try await harness.put("upload.pdf")
        #expect(try await names(harness) { $0.sender = "ANN@" } == ["one.pdf", "two.docx"])
        #expect(try await names(harness) { ($0.sender, $0.kind) = ("ann@example.com", .pdf) } == ["one.pdf"])
        #expect(try await names(harness) { $0.sender = "bob@" } == [])
        #expect(try await names(harness) { $0.sender = "%" } == [])
        #expect(
            try await harness.store.library.senders(in: harness.top.fund, atMost: 5, of: harness.ann) == [
                "ann@example.com"
            ])
        let foreign = harness.bobsFund.id
        #expect(
            await failure { _ = try await harness.store.library.senders(in: foreign, atMost: 5, of: harness.ann) }
                == .notFound)
    }

    @Test func datesAreThoseOfTheList() async throws {
        let harness = try await LibraryHarness()
        let file = try await harness.put("a.pdf")
        let time = file.modifiedAt
        #expect(try await names(harness) { $0.since = time } == ["a.pdf"])
        #expect(try await names(harness) { $0.since = time + .seconds(1) } == [])
        #expect(try await names(harness) { $0.until = time } == [])
        #expect(try await names(harness) { ($0.since, $0.until) = (time, time + .seconds(1)) } == ["a.pdf"])
    }

    /// Versions that a filter lets through are rows of their own: the latest may not be among them.
    @Test func versionsAreListedOneByOne() async throws {
        let harness = try await LibraryHarness()
        for _ in 0..<3 { try await harness.put("a.pdf", ifTaken: .number) }
        #expect(try await names(harness) { $0.kind = .pdf } == ["a(1).pdf", "a(2).pdf", "a.pdf"])
    }

    @Test func neighboursAreThoseOfTheFilter() async throws {
        let harness = try await LibraryHarness()
        for name in ["a.pdf", "b.docx", "c.pdf", "d.xls"] { try await harness.put(name, name) }
        let library = harness.store.library
        let files = try await library.children(of: harness.top, of: harness.ann).compactMap { item -> FileEntry? in
            if case .file(let file) = item { file } else { nil }
        }
        var filter = FileFilter()
        filter.kind = .pdf
        let found = try await library.neighbours(of: files[1].id, by: ItemOrder(), matching: filter, of: harness.ann)
        #expect(found.previous?.name == "a.pdf" && found.next?.name == "c.pdf")
    }

    /// A page comes from the index of its order, whatever the filter is: nothing is sorted.
    @Test(arguments: ItemOrder.Key.allCases, FileFilter.Kind.allCases)
    func ordersComeFromIndexes(key: ItemOrder.Key, kind: FileFilter.Kind) async throws {
        let harness = try await LibraryHarness()
        var filter = FileFilter()
        filter.kind = kind
        if key == .modifiedAt { filter.since = Timestamp(5) }
        try harness.expectIndex(of: ItemOrder(key), matching: filter)
    }
}
