import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The values beside the names of a list.
@Suite struct PlaceRowTests {
    private func rows(
        _ harness: LibraryHarness, _ page: PageQuery = PageQuery(), in place: LibraryPlace? = nil
    ) async throws -> [String: PlaceRow] {
        let found = try await harness.store.library.rows(
            of: place ?? harness.top, by: ItemOrder(), page, of: harness.ann)
        return Dictionary(
            uniqueKeysWithValues: found.items.map { row in
                switch row.item {
                case .fund(let fund): (fund.name, row)
                case .folder(let folder): (folder.name, row)
                case .file(let file): (file.name, row)
                }
            })
    }

    @Test func namesTheMail() async throws {
        let harness = try await LibraryHarness()
        let part = StoreHarness.Part(name: "came.pdf", bytes: [1])
        let email = try #require(try await harness.base.file("Subject: 1\n\n1", parts: [part]).emailID)
        try await harness.put("upload.txt")
        _ = try await harness.folder("folder")
        var found = try await rows(harness)
        #expect(found["came.pdf"]?.email?.id == email && found["came.pdf"]?.email?.from == "ann@example.com")
        #expect(found["came.pdf"]?.email?.subject?.hasPrefix("[Fund1] Subject: 1") == true)
        #expect(found["upload.txt"]?.email == nil && found["folder"]?.email == nil)
        try await harness.store.library.deleteEmail(email, of: harness.ann)
        found = try await rows(harness)
        #expect(found["came.pdf"]?.email == nil)
        // The pages are those of the plain list.
        let page = PageQuery(limit: 2)
        let (library, ann) = (harness.store.library, harness.ann)
        let plain = try await library.children(of: harness.top, by: ItemOrder(), page, of: ann)
        let listed = try await library.rows(of: harness.top, by: ItemOrder(), page, of: ann)
        #expect(listed.items.map(\.item) == plain.items && listed.next == plain.next)
        let foreign = LibraryPlace(fund: harness.bobsFund.id)
        #expect(await failure { _ = try await rows(harness, in: foreign) } == .notFound)
    }

    @Test func findsVersions() async throws {
        let harness = try await LibraryHarness()
        for text in ["one", "two", "two"] {
            try await harness.put("Report.pdf", text, ifTaken: .number)
        }
        for name in ["report.docx", "report (1).pdf", "reporter.pdf", "report(x).pdf", "Q\"3\\(1).txt", "q\"3\\.TXT"] {
            try await harness.put(name, name)
        }
        let folder = try await harness.folder("folder")
        try await harness.put("report(9).pdf", in: harness.place(folder))
        let found = try await rows(harness)
        let latest = try #require(found["Report(2).pdf"]?.versions)
        #expect(latest.files.map(\.name) == ["Report(2).pdf", "Report(1).pdf", "Report.pdf"])
        #expect(latest.isLatest && latest.number == 3 && !latest.isOneContent)
        let oldest = try #require(found["Report.pdf"]?.versions)
        #expect(!oldest.isLatest && oldest.number == 1 && oldest.files == latest.files)
        #expect(found["q\"3\\.TXT"]?.versions?.files.count == 2)
        for name in ["report.docx", "report (1).pdf", "reporter.pdf", "report(x).pdf", "folder"] {
            #expect(found[name]?.versions == nil, "\(name)")
        }
        // Versions on other pages count, too.
        for (name, row) in try await rows(harness, PageQuery(limit: 3)) where name.hasPrefix("Report") {
            #expect(row.versions?.files.count == 3, "\(name)")
        }
        #expect(try await rows(harness, in: harness.place(folder))["report(9).pdf"]?.versions == nil)
        try await harness.delete("Report(1).pdf")
        #expect(try await rows(harness)["Report.pdf"]?.versions?.files.count == 2)
        try await harness.delete("Report.pdf")
        #expect(try await rows(harness)["Report(2).pdf"]?.versions == nil)
    }

    @Test func sameBytesAreOneContent() async throws {
        let harness = try await LibraryHarness()
        for _ in 0..<2 { try await harness.put("a.txt", "same", ifTaken: .number) }
        #expect(try await rows(harness)["a.txt"]?.versions?.isOneContent == true)
    }

    /// A series of more than a hundred is no stack.
    @Test func aSeriesIsListedOneByOne() async throws {
        let harness = try await LibraryHarness()
        for index in 1...(FileVersions.maxCount + 1) { try await harness.put("scan(\(index)).png") }
        try await harness.put("scan.pdf")
        #expect(try await rows(harness).values.allSatisfy { $0.versions == nil })
        try await harness.delete("scan(7).png")
        try await harness.delete("scan.pdf")
        #expect(try await rows(harness)["scan(8).png"]?.versions?.files.count == FileVersions.maxCount)
    }
}
