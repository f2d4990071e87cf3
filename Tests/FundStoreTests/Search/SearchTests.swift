import Dispatch
import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundStore

@Suite struct SearchTests {
    private func titles(_ harness: LibraryHarness, _ text: String) async throws -> [String] {
        try await harness.store.library.search(SearchQuery(text: text), of: harness.ann).items.map(\.title).sorted()
    }

    @Test(arguments: [
        ("quarterly", ["Quarterly Report.pdf"]), ("REPORT", ["Quarterly Report.pdf", "report-2026_final.docx"]),
        ("rep", ["Quarterly Report.pdf", "report-2026_final.docx"]), ("report quart", ["Quarterly Report.pdf"]),
        // Only the last word may go on.
        ("quart report", []), ("final", ["report-2026_final.docx"]),
        ("2026", ["2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf", "report-2026_final.docx"]),
        ("report.pdf", ["Quarterly Report.pdf"]),
        // Chinese, Japanese, Korean: two characters, one, more, in the middle of a run.
        ("\u{62A5}\u{544A}", ["2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf"]),
        ("\u{5B63}\u{5EA6}\u{62A5}", ["2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf"]),
        ("\u{5B63}", ["2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf"]),
        ("\u{544A}", ["2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf"]),
        ("\u{544A}\u{62A5}", []), ("\u{5408}\u{540C} pdf", ["\u{5408}\u{540C}.pdf"]),
        ("\u{8ACB}\u{6C42}\u{66F8}", ["\u{FF8B}\u{FF9E}\u{FF99}\u{8ACB}\u{6C42}\u{66F8}"]),
        ("\u{30D3}\u{30EB}", ["\u{FF8B}\u{FF9E}\u{FF99}\u{8ACB}\u{6C42}\u{66F8}"]),
        ("\u{BCF4}\u{ACE0}", ["\u{BD84}\u{AE30}\u{BCF4}\u{ACE0}\u{C11C}"]),
        // German, French, Cyrillic, Greek; full width.
        ("strasse", ["Stra\u{DF}e M\u{FC}nchen"]), ("STRASSE", ["Stra\u{DF}e M\u{FC}nchen"]),
        ("munchen", ["Stra\u{DF}e M\u{FC}nchen"]), ("mu\u{308}nch", ["Stra\u{DF}e M\u{FC}nchen"]),
        ("\u{43E}\u{442}\u{447}\u{435}\u{442}", ["\u{41E}\u{442}\u{447}\u{451}\u{442}"]),
        ("\u{41E}\u{422}\u{427}", ["\u{41E}\u{442}\u{447}\u{451}\u{442}"]),
        ("\u{39A}\u{391}\u{3A6}\u{395}\u{3A3}", ["\u{3BA}\u{3B1}\u{3C6}\u{3AD}\u{3C2}"]),
        ("\u{FF32}\u{FF25}\u{FF30}\u{FF2F}\u{FF32}\u{FF34} quarterly", ["Quarterly Report.pdf"]),
        // Syntax of FTS5, of SQL and of the index itself is text.
        ("\"quarterly\"", ["Quarterly Report.pdf"]), ("quarterly OR nothing", []), ("quarterly AND NOT report", []),
        ("words:quarterly", []), ("quarterly*", ["Quarterly Report.pdf"]), ("^quarterly", ["Quarterly Report.pdf"]),
        ("NEAR(quarterly report)", []), ("quarterly\" OR \"", []), ("'; DROP TABLE file; --", []), ("%", []), ("", []),
        ("   ", []), ("\u{E000}u1", []), ("\u{E000}k2", []), ("quarterly\0", ["Quarterly Report.pdf"]), ("(", []),
        ("- + { } [ ] : ^ ~", []), ("rock'n'roll", ["Rock'n'Roll"]), ("n", ["Rock'n'Roll"]),
        ("\u{1F4C8}", []),
    ])
    func findsFiles(_ text: String, _ expected: [String]) async throws {
        let harness = try LibraryHarness(await Self.indexed.value)
        #expect(try await titles(harness, text) == expected)
    }

    /// Folders whose names are in the index.
    private static let indexed = Task {
        let harness = try await LibraryHarness()
        for name in [
            "Quarterly Report.pdf", "report-2026_final.docx",
            "2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf", "\u{5408}\u{540C}.pdf",
            "\u{FF8B}\u{FF9E}\u{FF99}\u{8ACB}\u{6C42}\u{66F8}", "\u{BD84}\u{AE30}\u{BCF4}\u{ACE0}\u{C11C}",
            "Stra\u{DF}e M\u{FC}nchen", "\u{41E}\u{442}\u{447}\u{451}\u{442}", "\u{3BA}\u{3B1}\u{3C6}\u{3AD}\u{3C2}",
            "Rock'n'Roll",
        ] {
            _ = try await harness.folder(name)
        }
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        return try LibraryHarness.Template(harness)
    }

    @Test func veryLongQuestions() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("word")
        #expect(try await titles(harness, String(repeating: "word ", count: 100_000)) == ["word"])
        #expect(try await titles(harness, String(repeating: "w", count: 100_000)) == [])
        let long = String(repeating: "x", count: 200)
        try await harness.put(long)
        #expect(try await titles(harness, long) == [long])
    }

    /// Whose documents there are besides makes no difference to what is looked at, so time tells nothing of them
    /// either.
    @Test func everyUserHasAnIndexOfTheirOwn() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("shared secret plan")
        _ = try await harness.store.library.addFolder(
            "shared other plan", in: LibraryPlace(fund: harness.bobsFund.id), of: harness.bob.id)
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        let terms = try harness.store.connection.write("") { db in
            try db.execute("CREATE VIRTUAL TABLE temp.terms USING fts5vocab('main', 'search_words', 'row')")
            return try db.rows("SELECT term, doc FROM terms").map { ($0[0] as String, $0[1] as Int) }
        }
        let owners = [harness.ann, harness.bob.id].map(SearchDocument.owner)
        #expect(terms.allSatisfy { term, _ in owners.contains { term.hasPrefix($0) } })
        #expect(terms.filter { term, _ in term.hasSuffix("shared") }.map(\.1) == [1, 1])
        #expect(try await titles(harness, "shared") == ["shared secret plan"])
        #expect(try await titles(harness, "oth") == [])
        let bobs = try await harness.store.library.search(SearchQuery(text: "sha"), of: harness.bob.id).items.map(
            \.title)
        #expect(bobs == ["shared other plan"])
        #expect(
            SearchDocument.owner(7).unicodeScalars.count == 2
                && SearchDocument.owner(User.ID(.max)).unicodeScalars.count == 2)
        #expect(Set((0..<20_000).map { SearchDocument.owner(User.ID($0)) }).count == 20_000)
    }

    /// Two mails like that took half a minute.
    @Test func marksCostLittle() async throws {
        let harness = try await LibraryHarness()
        let text = marks(1_000_000)
        _ = try await harness.store.library.addNote(
            NoteText(title: "before", content: text + " after"), in: harness.top.fund, of: harness.ann)
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        #expect(try await titles(harness, "before") == ["before"])
        // Behind the first megabyte nothing is found.
        #expect(try await titles(harness, "after") == [])
        #expect(processorTime { _ = SearchWords(question: text) } < .milliseconds(200))
        var words = SearchWords(maxWords: 100)
        #expect(processorTime { words.add(text) } < .seconds(10))
    }

    /// Eight searches took the same documents apart eight times.
    @Test func whatIsNewIsTakenApartOnce() async throws {
        let harness = try await LibraryHarness()
        for number in 0..<20 { try await harness.put("file \(number)") }
        let before = harness.store.maintenance.index.indexedDocuments.load(ordering: .relaxed)
        let found = await withTaskGroup(of: Int.self) { group in
            for user in [harness.ann, harness.bob.id] {
                for _ in 0..<8 {
                    group.addTask {
                        (try? await harness.store.library.search(SearchQuery(text: "file"), of: user).items.count) ?? -1
                    }
                }
            }
            return await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(!found.contains(-1))
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        #expect(harness.store.maintenance.index.indexedDocuments.load(ordering: .relaxed) - before == 20)
        #expect(try await titles(harness, "file").count == 20)
    }

    /// A search answers from what is there when it takes long to find the words of what came just now.
    @Test(.timeLimit(.minutes(5))) func searchesDoNotWaitForIndexing() async throws {
        let harness = try await LibraryHarness(searchWait: .milliseconds(100))
        try await harness.put("word one")
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        #expect(try await titles(harness, "word") == ["word one"])
        let gate = Gate()
        harness.store.maintenance.index.queue.async { gate.wait() }
        try await harness.put("word two")
        #expect(try await titles(harness, "word") == ["word one"])
        gate.open()
        while try await harness.store.maintenance.index.indexPending() > 0 {}
        #expect(try await titles(harness, "word") == ["word one", "word two"])
    }

    @Test func searchesEndInTime() async throws {
        let harness = try await LibraryHarness()
        try await harness.put("word")
        let endless = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
        for _ in 0..<10 {
            let kind = await failure {
                try await harness.store.library.searching("search", of: harness.ann, within: .milliseconds(20)) {
                    view in
                    _ = try view.db.value(endless) as Int?
                }
            }
            #expect(kind == .tookTooLong)
        }
        // Each connection is as good as before.
        for _ in 0..<10 { #expect(try await titles(harness, "word") == ["word"]) }
    }

    @Test func everythingOfAMail() async throws {
        let harness = try await LibraryHarness()
        let parts = [StoreHarness.Part(name: "Anlage.pdf", bytes: [1])]
        let id = try #require(try await harness.base.file("Zahlen f\u{FC}r Mai", parts: parts).emailID)
        let note = try await harness.store.library.addNote(
            NoteText(title: "Anruf", content: "Zahlen kommen am Montag"), in: harness.top.fund, of: harness.ann)
        let file = try await harness.id("Anlage.pdf")
        func items(_ text: String) async throws -> Set<LibraryItemID> {
            Set(try await harness.store.library.search(SearchQuery(text: text), of: harness.ann).items.map(\.item))
        }
        #expect(try await items("hello") == [.email(id)])
        #expect(try await items("zahlen") == [.email(id), .note(note.id)])
        #expect(try await items("ann@example.com") == [.email(id)])
        #expect(try await items("anlage") == [.email(id), file])
        #expect(try await items("montag") == [.note(note.id)])
        var query = EmailQuery()
        query.text = "anlage"
        #expect(try await harness.store.library.emails(query, of: harness.ann).items.map(\.id) == [id])
        query.sender = "EXAMPLE"
        #expect(try await harness.store.library.emails(query, of: harness.ann).items.map(\.id) == [id])
        query.sender = "nobody"
        #expect(try await harness.store.library.emails(query, of: harness.ann).items == [])
        query = EmailQuery()
        (query.text, query.favouritesOnly) = ("anlage", true)
        #expect(try await harness.store.library.emails(query, of: harness.ann).items == [])
        try await harness.store.library.setFavourite(true, .email(id), of: harness.ann)
        #expect(try await harness.store.library.emails(query, of: harness.ann).items.map(\.id) == [id])
        // Changed, moved, deleted, restored.
        _ = try await harness.store.library.changeNote(
            note.id, to: NoteText(title: "Anruf", content: "Dienstag"), unlessChangedSince: nil, of: harness.ann)
        #expect(try await items("montag") == [])
        #expect(try await items("dienstag") == [.note(note.id)])
        let other = try await harness.store.library.addFund("other", of: harness.ann)
        _ = try await harness.store.library.moveEmail(id, to: other.id, of: harness.ann)
        var inFund = SearchQuery(text: "anlage")
        inFund.fund = harness.top.fund
        #expect(try await harness.store.library.search(inFund, of: harness.ann).items == [])
        inFund.fund = other.id
        #expect(
            Set(try await harness.store.library.search(inFund, of: harness.ann).items.map(\.item)) == [
                .email(id), file,
            ])
        #expect(
            try await harness.store.library.search(inFund, of: harness.ann).items.allSatisfy { $0.fundName == "other" })
        try await harness.store.library.deleteEmail(id, of: harness.ann)
        #expect(try await items("anlage") == [file])
        (query.favouritesOnly, query.deletedOnly) = (false, true)
        #expect(try await harness.store.library.emails(query, of: harness.ann).items.map(\.id) == [id])
        try await harness.store.library.deleteFund(other.id, of: harness.ann)
        #expect(try await items("anlage") == [])
        _ = try await harness.store.library.restore(.fund(other.id), of: harness.ann)
        #expect(try await items("anlage") == [file])
    }

    @Test func pages() async throws {
        let harness = try await LibraryHarness()
        for number in 0..<25 { try await harness.base.file("number \(number)", place: "\(number)") }
        for text in [nil, "number"] {
            var (query, seen, pages): (EmailQuery, [EmailSummary.ID], Int) = (EmailQuery(), [], 0)
            (query.text, query.limit) = (text, 10)
            repeat {
                let page = try await harness.store.library.emails(query, of: harness.ann)
                seen += page.items.map(\.id)
                query.cursor = page.next
                pages += 1
                // Mail that comes in meanwhile does not disturb the list that was begun.
                try await harness.base.file("number meanwhile \(text ?? "") \(pages)", place: "m\(pages)")
            } while query.cursor != nil
            #expect(Array(seen.suffix(25)) == (1...25).reversed().map { ID($0) })
            #expect(Set(seen).count == seen.count)
            #expect(pages == (text == nil ? 3 : 3))
        }
        for cursor in ["", "x", "1", "1.", ".1", "1.2.3", "s", "s-1", "sx", "99999999999999999999.1"] {
            var query = EmailQuery()
            query.cursor = cursor
            #expect(
                await failure { _ = try await harness.store.library.emails(query, of: harness.ann) } == .invalid,
                "\(cursor)")
            query.text = "number"
            #expect(
                await failure { _ = try await harness.store.library.emails(query, of: harness.ann) } == .invalid,
                "\(cursor)")
        }
    }

    @Test func timesAndLimits() async throws {
        let harness = try await LibraryHarness()
        for number in 0..<5 { try await harness.base.file("number \(number)", place: "\(number)") }
        try harness.store.connection.write("") { try $0.execute("UPDATE email SET received_at = 1000 + id") }
        for text in [nil, "number"] {
            var query = EmailQuery()
            (query.text, query.since, query.until) = (text, 1002, 1004)
            #expect(try await harness.store.library.emails(query, of: harness.ann).items.map(\.id) == [3, 2])
            query = EmailQuery()
            (query.text, query.limit) = (text, 0)
            #expect(try await harness.store.library.emails(query, of: harness.ann).items.count == 1)
        }
    }
}
