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
            of: place ?? harness.top, by: ItemOrder(), matching: FileFilter(), page, of: harness.ann)
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
        let listed = try await library.rows(
            of: harness.top, by: ItemOrder(), matching: FileFilter(), page, of: ann)
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
        try await harness.put("report(9).pdf", "two", in: harness.place(folder))
        var found = try await rows(harness)
        let latest = try #require(found["Report(2).pdf"]?.versions)
        #expect(latest.files.map(\.name) == ["Report(2).pdf", "Report(1).pdf", "Report.pdf"])
        #expect(latest.older.map(\.name) == ["Report(1).pdf", "Report.pdf"] && !latest.isOneContent)
        // The latest stands for the others, by when they came and not by their names.
        #expect(found["Report.pdf"] == nil && found["Report(1).pdf"] == nil && found["Q\"3\\(1).txt"] == nil)
        #expect(found["q\"3\\.TXT"]?.versions?.files.count == 2)
        for name in ["report.docx", "report (1).pdf", "reporter.pdf", "report(x).pdf", "folder"] {
            #expect(found[name] != nil && found[name]?.versions == nil, "\(name)")
        }
        #expect(try await rows(harness, in: harness.place(folder))["report(9).pdf"]?.versions == nil)
        try await harness.delete("Report(1).pdf")
        #expect(try await rows(harness)["Report(2).pdf"]?.versions?.files.count == 2)
        // Without the first the numbers are names.
        try await harness.put("Report.pdf", ifTaken: .number)
        try await harness.delete("Report.pdf")
        found = try await rows(harness)
        #expect(found["Report(2).pdf"]?.versions == nil && found["Report(1).pdf"]?.versions == nil)
        #expect(found["Report(2).pdf"] != nil && found["Report(1).pdf"] != nil)
    }

    /// Versions count wherever they stand in the list, and each page has rows, though most files have none.
    @Test func pagesOfVersions() async throws {
        let harness = try await LibraryHarness()
        for _ in 0..<40 { try await harness.put("a.txt", ifTaken: .number) }
        try await harness.put("b.txt", "another")
        var (names, page, pages): ([String], PageQuery, Int) = ([], PageQuery(limit: 10), 0)
        while true {
            let found = try await harness.store.library.rows(
                of: harness.top, by: ItemOrder(), matching: FileFilter(), page, of: harness.ann)
            pages += 1
            for row in found.items {
                guard case .file(let file) = row.item else { continue }
                names.append(file.name)
                #expect(row.versions?.files.count == (file.name == "b.txt" ? nil : 40))
            }
            guard let next = found.next else { break }
            page.cursor = next
        }
        #expect(names == ["a(39).txt", "b.txt"] && pages <= 2)
    }

    @Test func sameBytesAreOneContent() async throws {
        let harness = try await LibraryHarness()
        for _ in 0..<2 { try await harness.put("a.txt", "same", ifTaken: .number) }
        #expect(try await rows(harness)["a(1).txt"]?.versions?.isOneContent == true)
    }

    /// Two invoices, with a copy of one of them, are not versions of one file.
    @Test func numbersAloneAreNames() async throws {
        let harness = try await LibraryHarness()
        for name in ["Invoice(12).pdf", "Invoice(13).pdf", "Invoice(12)(1).pdf", "Accounts(2025).pdf", "Accounts.pdf"] {
            try await harness.put(name, name)
        }
        let found = try await rows(harness)
        #expect(found.count == 5 && found.values.allSatisfy { $0.versions == nil })
    }

    /// More than `maxCount` are a series and no stack.
    @Test func aSeriesIsListedOneByOne() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("scan.png")
        for index in 1...FileVersions.maxCount { try await harness.put("scan(\(index)).png") }
        try await harness.put("scan.pdf", "another")
        #expect(try await rows(harness).values.allSatisfy { $0.versions == nil })
        try await harness.delete("scan(7).png")
        try await harness.delete("scan.pdf")
        let last = "scan(\(FileVersions.maxCount)).png"
        #expect(try await rows(harness)[last]?.versions?.files.count == FileVersions.maxCount)
    }

    /// One content under several names is one stack, and so are the versions of each of these names.
    @Test func sameBytesUnderOtherNamesAreVersions() async throws {
        let harness = try await LibraryHarness()
        let files = [
            ("Report.pdf", "first"), ("Report(1).pdf", "second"), ("final.pdf", "second"), ("final(1).pdf", "third"),
            ("signed.pdf", "third"), ("other.pdf", "other"), ("empty.txt", ""), ("void.txt", ""),
        ]
        for (name, text) in files { try await harness.put(name, text) }
        let folder = try await harness.folder("folder")
        try await harness.put("elsewhere.pdf", "third", in: harness.place(folder))
        var found = try await rows(harness)
        #expect(found.keys.sorted() == ["empty.txt", "folder", "other.pdf", "signed.pdf", "void.txt"])
        let names = ["signed.pdf", "final(1).pdf", "final.pdf", "Report(1).pdf", "Report.pdf"]
        #expect(found["signed.pdf"]?.versions?.files.map(\.name) == names)
        #expect(found["signed.pdf"]?.versions?.isOneContent == false)
        // Whichever of them one asks for, they are the same: on each page of a list the others have no row.
        for name in names {
            guard case .file(let id) = try await harness.id(name) else { continue }
            let versions = try await harness.store.library.versions(of: id, of: harness.ann)
            #expect(versions?.files.map(\.name) == names, "\(name)")
        }
        // The file that joined the two is gone.
        try await harness.delete("final(1).pdf")
        found = try await rows(harness)
        #expect(found["final.pdf"]?.versions?.files.map(\.name) == ["final.pdf", "Report(1).pdf", "Report.pdf"])
        #expect(found["signed.pdf"] != nil && found["signed.pdf"]?.versions == nil)
        try await harness.put("Sent again.pdf", "other")
        let latest = try await rows(harness)["Sent again.pdf"]?.versions
        #expect(latest?.files.map(\.name) == ["Sent again.pdf", "other.pdf"] && latest?.isOneContent == true)
    }

    /// Many equal files, such as a logo, and versions that go from one to the next without an end, are listed one by
    /// one: each file has a row, or stands among the versions of one that has, on whatever pages the list comes.
    @Test(arguments: [FileVersions.maxCount, FileVersions.maxCount + 1])
    func noFileIsLost(_ count: Int) async throws {
        let harness = try await LibraryHarness()
        for index in 0..<count { try await harness.put("logo-\(index).png", "logo") }
        // Each has the name of the one before it, or its bytes.
        for index in 0...count / 2 {
            try await harness.put("chain-\(index).txt", "\(index)")
            if index < count / 2 { try await harness.put("chain-\(index)(1).txt", "\(index + 1)") }
        }
        var (seen, heads, page): (Set<String>, Int, PageQuery) = ([], 0, PageQuery(limit: 7))
        while true {
            let found = try await harness.store.library.rows(
                of: harness.top, by: ItemOrder(), matching: FileFilter(), page, of: harness.ann)
            for row in found.items {
                guard case .file(let file) = row.item else { continue }
                heads += 1
                for name in row.versions?.files.map(\.name) ?? [file.name] {
                    #expect(seen.insert(name).inserted, "\(name) stands twice")
                }
            }
            guard let next = found.next else { break }
            page.cursor = next
        }
        let all = count + 2 * (count / 2) + 1
        #expect(seen.count == all)
        // The chain has 51 files in both cases.
        #expect(heads == (count > FileVersions.maxCount ? all : all - count + 1))
    }
}
