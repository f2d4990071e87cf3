import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The list of what arrived over all funds of a user.
@Suite struct ArrivalTests {
    private static let part = StoreHarness.Part(name: "report.pdf", bytes: [1])
    private static let other = StoreHarness.Part(name: "annex.pdf", bytes: [2])
    private static let inline = StoreHarness.Part(name: "logo.png", bytes: [3], isInline: true)

    private func mail(_ harness: LibraryHarness, _ text: String, _ parts: [StoreHarness.Part] = []) async throws
        -> EmailSummary.ID
    {
        try #require(try await harness.base.file("Subject: \(text)\n\n\(text)", parts: parts).emailID)
    }

    private func arrivals(
        _ harness: LibraryHarness, _ change: (inout ArrivalQuery) -> Void = { _ in }
    ) async throws -> ListPage<Arrival> {
        var query = ArrivalQuery()
        change(&query)
        return try await harness.store.library.arrivals(query, of: harness.ann)
    }

    /// Subjects, and names of uploads.
    private func names(_ page: ListPage<Arrival>) -> [String] {
        page.items.map { arrival in
            switch arrival.content {
            case .email(let email):
                String((email.email.subject ?? "").dropFirst("[Fund1] Subject: ".count).prefix { $0 != "\n" })
            case .upload(let file): file.name
            }
        }
    }

    private func setTimes(
        _ harness: LibraryHarness, emails: [(EmailSummary.ID, Timestamp)], files: [(FileEntry.ID, Timestamp)]
    )
        throws
    {
        try harness.store.connection.write("") { db in
            for (id, time) in emails { try db.execute("UPDATE email SET received_at = ? WHERE id = ?", [time, id]) }
            for (id, time) in files { try db.execute("UPDATE file SET created_at = ? WHERE id = ?", [time, id]) }
        }
    }

    @Test func mailsComeWithTheirFilesBesideUploads() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let first = try await mail(harness, "1", [Self.part, Self.other, Self.inline])
        let upload = try await harness.put("upload.txt")
        let second = try await mail(harness, "2")
        try setTimes(harness, emails: [(first, 1000), (second, 3000)], files: [(upload.id, 2000)])
        let page = try await arrivals(harness)
        #expect(names(page) == ["2", "upload.txt", "1"] && page.next == nil)
        #expect(
            page.items.map(\.fundName) == ["Fund1", "Fund1", "Fund1"] && page.items.map(\.at) == [3000, 2000, 1000])
        guard case .email(let last) = page.items[2].content else {
            Issue.record("no email")
            return
        }
        #expect(last.files.map(\.name) == ["report.pdf", "annex.pdf"] && !last.hasMoreFiles && last.excerpt == "hello")
        // A file is shown with its mail wherever it lies, and gone when it is deleted.
        let folder = try await harness.folder("folder")
        _ = try await harness.move(.file(last.files[0].id), to: harness.place(folder), named: "renamed.pdf")
        try await library.delete(.file(last.files[1].id), of: ann)
        guard case .email(let now) = try await arrivals(harness).items[2].content else {
            Issue.record("no email")
            return
        }
        #expect(now.files.map(\.name) == ["renamed.pdf"])
        try await library.deleteEmail(second, of: ann)
        try await library.delete(.file(upload.id), of: ann)
        #expect(names(try await arrivals(harness)) == ["1"])
        try await library.archiveFund(harness.base.fund.id, if: nil, of: ann)
        #expect(try await arrivals(harness).items.isEmpty)
        #expect(try await library.arrivals(ArrivalQuery(), of: harness.bob.id).items.isEmpty)
    }

    @Test func comesInPages() async throws {
        let harness = try await LibraryHarness()
        let fund = try await harness.store.library.addFund("Second", of: harness.ann)
        var (emails, files): ([(EmailSummary.ID, Timestamp)], [(FileEntry.ID, Timestamp)]) = ([], [])
        for index in 0..<7 {
            emails.append((try await mail(harness, "\(index)"), Timestamp(Int64(1000 + index / 2 * 10))))
            let place = LibraryPlace(fund: index % 2 == 0 ? fund.id : harness.base.fund.id)
            let file = try await harness.put("file \(index)", in: place)
            files.append((file.id, Timestamp(Int64(1005 + index / 3 * 10))))
        }
        try setTimes(harness, emails: emails, files: files)
        let whole = names(try await arrivals(harness))
        #expect(whole.count == 14 && Set(whole).count == 14)
        for limit in [1, 3, 13] {
            var (found, cursor): ([String], String?) = ([], nil)
            repeat {
                let page = try await arrivals(harness) { $0.page = PageQuery(limit: limit, cursor: cursor) }
                found += names(page)
                cursor = page.next
            } while cursor != nil && found.count < 50
            #expect(found == whole, "\(limit)")
        }
        #expect(await failure { _ = try await arrivals(harness) { $0.page.cursor = "1.2" } } == .invalid)
    }

    /// The clock is set back between two uploads: none is lost, none comes twice.
    @Test func aClockThatIsSetBackLosesNothing() async throws {
        let harness = try await LibraryHarness()
        let files = try await [harness.put("a"), harness.put("b"), harness.put("c")].map(\.id)
        let email = try await mail(harness, "1")
        try setTimes(
            harness, emails: [(email, 1500)], files: zip(files, [2000, 3000, 1000] as [Timestamp]).map { ($0, $1) })
        var (found, cursor): ([String], String?) = ([], nil)
        repeat {
            let page = try await arrivals(harness) { $0.page = PageQuery(limit: 1, cursor: cursor) }
            found += names(page)
            cursor = page.next
        } while cursor != nil && found.count < 10
        #expect(found.sorted() == ["1", "a", "b", "c"])
    }

    @Test func filters() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let second = try await library.addFund("Second", of: ann).id
        _ = try await mail(harness, "1")
        let moved = try await mail(harness, "2")
        _ = try await library.moveEmail(moved, to: second, of: ann)
        try await harness.put("upload", in: LibraryPlace(fund: second))
        try await harness.put("other")
        func found(_ change: (inout ArrivalQuery) -> Void) async throws -> [String] {
            names(try await arrivals(harness, change)).sorted()
        }
        #expect(try await found { $0.fund = second } == ["2", "upload"])
        #expect(try await found { $0.kind = .mail } == ["1", "2"])
        #expect(try await found { $0.kind = .uploads } == ["other", "upload"])
        #expect(try await found { $0.isOfFavourites = true } == [])
        try await library.setFavourite(true, .fund(second), of: ann)
        #expect(try await found { $0.isOfFavourites = true } == ["2", "upload"])
        #expect(try await found { ($0.isOfFavourites, $0.kind) = (true, .mail) } == ["2"])
        #expect(await failure { _ = try await arrivals(harness) { $0.fund = harness.bobsFund.id } } == .notFound)
    }

    @Test func marksWhatIsNewUntilAllIsSeen() async throws {
        let harness = try await LibraryHarness()
        let (library, ann) = (harness.store.library, harness.ann)
        let second = try await library.addFund("Second", of: ann).id
        let first = try await mail(harness, "1")
        _ = try await library.moveEmail(first, to: second, of: ann)
        let shown = try await mail(harness, "2")
        try await harness.put("upload")
        func new() async throws -> [String] {
            let page = try await arrivals(harness)
            return names(ListPage(items: page.items.filter(\.isNew), next: nil)).sorted()
        }
        #expect(try await new() == ["1", "2"])
        #expect(try await library.lastVisit(of: ann) == nil)
        _ = try await mail(harness, "late")
        try await library.noteVisits(upTo: shown, of: ann)
        #expect(try await new() == ["late"])
        #expect(try await library.lastVisit(of: ann) != nil)
        #expect(try await library.lastVisit(of: harness.bob.id) == nil)
        try await library.noteVisits(upTo: nil, of: ann)
        #expect(try await new() == [])
        // Mail that was seen stays so, and the funds of others were not visited.
        try await library.noteVisits(upTo: 0, of: ann)
        #expect(try await new() == [])
        #expect(try harness.base.count("visit") == 2)
    }

    /// Long texts and mails with hundreds of files cost no more than others.
    @Test func boundsWhatIsShown() async throws {
        let harness = try await LibraryHarness()
        let parts = (0..<40).map { StoreHarness.Part(name: "\($0).txt", bytes: [UInt8($0)]) }
        let id = try await mail(harness, "1", parts)
        let text = "Dear\u{202E} all,\r\n\r\n  the report " + String(repeating: "季", count: 1000)
        try harness.store.connection.write("") { try $0.execute("UPDATE email SET text = ? WHERE id = ?", [text, id]) }
        guard case .email(let email) = try await arrivals(harness).items.first?.content else {
            Issue.record("no email")
            return
        }
        #expect(email.files.map(\.name) == (0..<EmailArrival.maxFiles).map { "\($0).txt" } && email.hasMoreFiles)
        let excerpt = try #require(email.excerpt)
        #expect(excerpt.hasPrefix("Dear all, the report 季季") && excerpt.utf8.count <= EmailArrival.maxExcerptBytes)
        #expect(!excerpt.contains("\u{FFFD}"))
    }

    /// No page reads all mails or files of a user.
    @Test func readsFromIndexesAlone() async throws {
        let harness = try await LibraryHarness()
        let plan = try harness.store.connection.read("") { db in
            try db.rows(
                """
                EXPLAIN QUERY PLAN SELECT file.id FROM fund CROSS JOIN file ON file.id IN (
                    SELECT recent.id FROM file AS recent INDEXED BY file_live
                    WHERE recent.fund_id = fund.id AND recent.attachment_id IS NULL AND recent.deleted_at IS NULL
                        AND recent.id < 5 ORDER BY recent.id DESC LIMIT 51)
                """
            ).map { $0[3] as String }
        }
        #expect(plan.contains { $0.contains("SEARCH file USING INTEGER PRIMARY KEY (rowid=?)") }, "\(plan)")
        #expect(plan.contains { $0.contains("SEARCH recent USING COVERING INDEX file_live") }, "\(plan)")
        #expect(!plan.contains { $0.contains("TEMP B-TREE") }, "\(plan)")
    }
}
