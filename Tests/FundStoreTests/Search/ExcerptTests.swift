import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The part of a text that a hit shows.
@Suite struct ExcerptTests {
    private static func marked(_ pieces: [ExcerptPiece]?) -> String? {
        pieces?.map { $0.isMatch ? "\u{AB}\($0.text)\u{BB}" : $0.text }.joined()
    }

    @Test(
        arguments: [
            ("report", "The Quarterly Report is here", "The Quarterly \u{AB}Report\u{BB} is here"),
            ("rep", "a Report", "a \u{AB}Report\u{BB}"),
            ("quart report", "Quarterly report", "Quarterly \u{AB}report\u{BB}"),
            ("nothing", "The Quarterly Report", nil), ("", "text", nil), ("eport", "report", nil),
            ("strasse munchen", "Stra\u{DF}e in M\u{FC}nchen", "\u{AB}Stra\u{DF}e\u{BB} in \u{AB}M\u{FC}nchen\u{BB}"),
            ("m\u{FC}nchen", "in MU\u{308}NCHEN!", "in \u{AB}MU\u{308}NCHEN\u{BB}!"),
            ("word", "\r\n word \r\n", "\u{AB}word\u{BB}"), ("word", "word of \n", "\u{AB}word\u{BB} of"),
            ("office", "the o\u{FB03}ce", "the \u{AB}o\u{FB03}ce\u{BB}"),
            ("\u{FF32}eport", "x (report)", "x (\u{AB}report\u{BB})"),
            (
                "\u{5831}\u{544A}", "2026\u{5E74}\u{5B63}\u{5EA6}\u{5831}\u{544A}\u{66F8}\u{3002}",
                "2026\u{5E74}\u{5B63}\u{5EA6}\u{AB}\u{5831}\u{544A}\u{BB}\u{66F8}\u{3002}"
            ),
            (
                "\u{5831}\u{544A}\u{66F8}", "2026\u{5E74}\u{5831}\u{544A}\u{66F8}\u{3002}",
                "2026\u{5E74}\u{AB}\u{5831}\u{544A}\u{66F8}\u{BB}\u{3002}"
            ),
            ("\u{544A}", "\u{5831}\u{544A}\u{66F8}", "\u{5831}\u{AB}\u{544A}\u{BB}\u{66F8}"),
            (
                "\u{30D3}\u{30EB}", "\u{FF8B}\u{FF9E}\u{FF99}\u{8ACB}\u{6C42}\u{66F8}",
                "\u{AB}\u{FF8B}\u{FF9E}\u{FF99}\u{BB}\u{8ACB}\u{6C42}\u{66F8}"
            ),
            (
                "\u{43E}\u{442}\u{447}\u{435}\u{442}", "\u{41E}\u{442}\u{447}\u{451}\u{442} Q3",
                "\u{AB}\u{41E}\u{442}\u{447}\u{451}\u{442}\u{BB} Q3"
            ),
            // Markup, templates and syntax are text; controls and what turns the direction of writing go.
            ("b", "<b>{{b}}</b> &amp;", "<\u{AB}b\u{BB}>{{\u{AB}b\u{BB}}}</\u{AB}b\u{BB}> &amp;"),
            ("word", "a\u{202E}b\r\n\t  c\u{7} word", "ab c \u{AB}word\u{BB}"),
            ("a* OR b", "NEAR(a b)", "NEAR(\u{AB}a\u{BB} \u{AB}b\u{BB})"),
        ] as [(String, String, String?)])
    func marksWhatTheIndexFinds(_ question: String, _ text: String, _ expected: String?) {
        #expect(Self.marked(ExcerptFinder(question: question).excerpt(of: text)) == expected)
    }

    /// Every word under which a text stands in the index is found in it.
    @Test(arguments: [
        "Quarterly Report.pdf", "report-2026_final.docx", "Rock'n'Roll", "Stra\u{DF}e M\u{FC}nchen",
        "\u{39A}\u{3B1}\u{3C6}\u{3AD}\u{3C2}",
        "2026\u{5E74}\u{7B2C}\u{4E00}\u{5B63}\u{5EA6}\u{62A5}\u{544A}.pdf",
        "\u{FF8B}\u{FF9E}\u{FF99}\u{8ACB}\u{6C42}\u{66F8}",
        "\u{BD84}\u{AE30}\u{BCF4}\u{ACE0}\u{C11C}", "\u{1107}\u{1166} jamo", "\u{338F} \u{BD} \u{2460}a",
        "\u{E23}\u{E32}\u{E22}\u{E07}\u{E32}\u{E19}",
        "\u{915}\u{94D}\u{937}\u{93F} \u{627}\u{644}\u{62A}\u{642}\u{631}\u{64A}\u{631}", "x\u{301}\u{302}y z\u{34F}w",
        "\u{FB03}\u{FB01}",
    ])
    func agreesWithTheIndex(_ text: String) {
        var words = SearchWords(maxWords: 1000)
        words.add(text)
        #expect(!words.words.isEmpty)
        for word in words.words {
            #expect(ExcerptFinder(question: word).excerpt(of: text) != nil, "\(word)")
        }
    }

    @Test func isShortWhereverTheMatchLies() throws {
        let filler = String(repeating: "lorem ipsum dolor ", count: 500)
        let text = filler + "needle " + filler
        let found = try #require(ExcerptFinder(question: "needle").excerpt(of: text))
        #expect(found.map(\.isMatch) == [false, true, false] && found[1].text == "needle")
        // Whole words on both sides.
        #expect(found[0].text.hasPrefix("\u{2026} ") && found[2].text.hasSuffix("\u{2026}"))
        let around = (found[0].text + found[2].text).split { " \u{2026}".contains($0) }
        #expect(Set(around).isSubset(of: ["lorem", "ipsum", "dolor"]) && around.count < 45)
        let beginning = ExcerptFinder(question: "x").beginning(of: text)
        #expect(beginning.count == 1 && beginning[0].text.hasPrefix("lorem") && beginning[0].text.utf8.count < 210)
        #expect(ExcerptFinder(question: "x").beginning(of: "") == [])
        // One word of a megabyte, and one character of as many marks.
        for hostile in [String(repeating: "x", count: 1 << 20), "x" + marks(100_000), marks(100_000) + " x"] {
            let pieces = ExcerptFinder(question: "x").excerpt(of: hostile) ?? []
            #expect(pieces.reduce(0) { $0 + $1.text.unicodeScalars.count } < 300)
        }
    }

    /// Three words at most stand before the hit, of a language without spaces twelve characters.
    @Test(arguments: [
        ("needle", "one two three four needle end", "\u{2026} two three four \u{AB}needle\u{BB} end"),
        ("needle", "two three four needle end", "two three four \u{AB}needle\u{BB} end"),
        ("needle", "one\n\ntwo  three four  needle", "\u{2026} two three four \u{AB}needle\u{BB}"),
        ("needle", String(repeating: "x", count: 80) + " needle", "\u{2026} \u{AB}needle\u{BB}"),
        (
            "\u{62A5}\u{544A}", String(repeating: "\u{5B63}", count: 40) + "\u{62A5}\u{544A}\u{3002}",
            "\u{2026}" + String(repeating: "\u{5B63}", count: 12) + "\u{AB}\u{62A5}\u{544A}\u{BB}\u{3002}"
        ),
    ])
    func beginsNearTheHit(_ question: String, _ text: String, _ expected: String) {
        #expect(Self.marked(ExcerptFinder(question: question).excerpt(of: text)) == expected)
    }

    /// A further hit at the end of the excerpt is shown whole or not at all.
    @Test func cutsNoFoundWord() throws {
        let long = "needle" + String(repeating: "s", count: 30)
        for gap in 140..<210 {
            let text = "needle " + String(repeating: "ab ", count: gap / 3) + long + " and more of it behind the hit"
            let pieces = try #require(ExcerptFinder(question: "needle").excerpt(of: text))
            #expect(pieces.filter(\.isMatch).allSatisfy { ["needle", long].contains($0.text) }, "\(gap)")
        }
    }

    /// A page of hits takes a bounded time, whatever stands in the texts.
    @Test func longTextsCostLittle() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        var emails: [EmailSummary.ID] = []
        for number in 0..<3 {
            emails.append(try #require(try await harness.base.file("Subject: needle \(number)\n\nx").emailID))
        }
        while try await store.maintenance.index.indexPending() > 0 {}
        // Behind the index's back: 20 MB each.
        try store.connection.write("") { db in
            try db.execute("UPDATE email SET text = replace(hex(zeroblob(5000000)), '00', 'wort ') || 'needle'")
            let bytes = try db.value("SELECT \(SQL.bytes("text")) FROM email LIMIT 1") as Int?
            #expect(bytes == 25_000_006)
            let id = emails[0].rawValue
            #expect(try db.beginning(of: "text", in: "email", row: id, bytes: 7) == Array("wort wo".utf8))
            #expect(try db.beginning(of: "html", in: "email", row: id, bytes: 7) == nil)
            #expect(try db.beginning(of: "text", in: "email", row: 999, bytes: 7) == nil)
        }
        let start = ContinuousClock.now
        let hits = try await store.library.search(SearchQuery(text: "needle"), of: ann).items
        #expect(ContinuousClock.now - start < .seconds(50))
        #expect(hits.count == 3)
        // The subject matches; the text does so too far behind.
        #expect(hits.allSatisfy { $0.excerpt.contains { $0.isMatch && $0.text == "needle" } })
        for text in [marks(128 << 10), String(repeating: "\u{62A5}\u{301}", count: 30_000)] {
            #expect(processorTime { _ = ExcerptFinder(question: "z").excerpt(of: text) } < .seconds(10))
        }
    }

    @Test func comesFromTheTextThenFromNames() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let part = StoreHarness.Part(name: "appendix.pdf", bytes: [1])
        _ = try await harness.base.file("Subject: x\n\nx", parts: [part])
        try store.connection.write("") { try $0.execute("UPDATE email SET subject = 'Budget', text = 'body text'") }
        _ = try await store.library.addNote(
            NoteText(title: "Budget", content: "the budget of May"), in: harness.top.fund, of: ann)
        _ = try await harness.base.file("Subject: y\n\ny")
        try store.connection.write("") { db in
            try db.execute("UPDATE email SET text = '', html = '<p>An <b>html</b> body</p>' WHERE text = 'hello'")
        }
        while try await store.maintenance.index.indexPending() > 0 {}
        func found(_ question: String) async throws -> [String?] {
            try await store.library.search(SearchQuery(text: question), of: ann).items.map {
                "\($0.item.kind) \(Self.marked($0.excerpt) ?? "")"
            }.sorted()
        }
        #expect(
            try await found("budget") == ["email \u{AB}Budget\u{BB}", "note the \u{AB}budget\u{BB} of May"])
        #expect(try await found("body text") == ["email \u{AB}body\u{BB} \u{AB}text\u{BB}"])
        #expect(
            try await found("appendix") == ["email \u{AB}appendix\u{BB}.pdf", "file \u{AB}appendix\u{BB}.pdf"])
        #expect(try await found("html") == ["email An \u{AB}html\u{BB} body"])
        #expect(
            try await found("ann@example.com").contains("email \u{AB}ann\u{BB}@\u{AB}example\u{BB}.\u{AB}com\u{BB}"))
    }

    @Test func filtersByKindSenderAndDate() async throws {
        let harness = try await LibraryHarness()
        let (store, ann) = (harness.store, harness.ann)
        let part = StoreHarness.Part(name: "budget.pdf", bytes: [1])
        let email = try #require(try await harness.base.file("budget\n\nx", parts: [part]).emailID)
        let other = try #require(try await harness.base.file("budget 2\n\nx").emailID)
        let upload = try await harness.put("budget.txt")
        _ = try await harness.folder("budget")
        _ = try await store.library.addNote(NoteText(title: "budget", content: ""), in: harness.top.fund, of: ann)
        try store.connection.write("") { db in
            try db.execute("UPDATE email SET from_address = 'Bo@Example.net', received_at = 1000 WHERE id = ?", [other])
            try db.execute("UPDATE file SET modified_at = 2000 WHERE id = ?", [upload.id])
        }
        while try await store.maintenance.index.indexPending() > 0 {}
        func found(_ change: (inout SearchQuery) -> Void) async throws -> [String] {
            var query = SearchQuery(text: "budget")
            change(&query)
            return try await store.library.search(query, of: ann).items.map { "\($0.item.kind)" }.sorted()
        }
        #expect(try await found { _ in } == ["email", "email", "file", "file", "folder", "note"])
        #expect(try await found { $0.kind = .email } == ["email", "email"])
        #expect(try await found { $0.kind = .note } == ["note"])
        #expect(try await found { $0.sender = "ANN@" } == ["email", "file"])
        #expect(try await found { $0.sender = "bo@example.NET" } == ["email"])
        #expect(try await found { $0.sender = "%" } == [])
        #expect(try await found { $0.until = 1001 } == ["email"])
        #expect(try await found { ($0.since, $0.until) = (1000, 2001) } == ["email", "file"])
        #expect(try await found { ($0.since, $0.until) = (1001, 2000) } == [])
        #expect(
            try await found {
                $0.since = 3000
                $0.kind = .file
                $0.sender = "ann"
            } == ["file"])
        // A mail that is purged has no sender, and its file stays.
        try await store.library.deleteEmail(email, of: ann)
        _ = try await store.library.emptyTrash(of: ann)
        #expect(try await found { $0.sender = "ann" } == [])
        #expect(try await found { $0.kind = .file } == ["file", "file"])
    }
}
