import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Filters of lists, which links carry along, and versions as one row.
struct ListFilterPageTests {
    private typealias Shelf = PageListTests.Shelf

    private static func names(_ page: RawHTTPResponse) -> [String] {
        page.text.matches(of: /<bdi class="file"><span>([^<]*)<\/span><span>([^<]*)<\/span>/).map { "\($0.1)\($0.2)" }
    }

    @Test
    func narrowsFilesDown() async throws {
        let shelf = try await Shelf("Narrow")
        let words = Words(language: .en)
        for name in ["a.pdf", "b.docx", "c.pdf"] { try await shelf.put(name) }
        let path = "/library/funds/\(shelf.fund)"
        let plain = try await shelf.page(path)
        #expect(Self.names(plain).count == 3 && plain.text.contains(#"popovertarget="filter-kind""#))
        #expect(plain.text.contains(#"data-total="3""#))
        let kinds = PageListTests.addresses(/<a href="([^"]*\?kind=[a-z]+)">/, in: plain)
        #expect(kinds.count == FileFilter.Kind.allCases.count)

        let narrow = try await shelf.page("\(path)?kind=pdf&sort=-name")
        #expect(Self.names(narrow) == ["c.pdf", "a.pdf"])
        // How many there are is not said, and not what the whole list has.
        #expect(!narrow.text.contains("data-total"))
        // Sorting, choosing, opening and coming back keep the filter, and the chip takes it away.
        let links = PageListTests.addresses(/href="([^"]*)"/, in: narrow)
        #expect(
            links.filter { $0.hasPrefix(path + "?") && $0.contains("sort=size") }.allSatisfy { $0.contains("kind=pdf") }
        )
        let all = try #require(PageListTests.addresses(/href="([^"]*)" data-choose-all/, in: narrow).first)
        #expect(try await shelf.page(all).text.matches(of: /[ ]checked>/).count == 2)
        #expect(narrow.text.contains(#"name="back" value="\#(path)?kind=pdf""#))
        #expect(
            PageListTests.addresses(/<a class="name" href="([^"]*)"/, in: narrow).allSatisfy { $0.contains("kind=pdf") }
        )
        let chip = try #require(
            PageListTests.addresses(/<a class="chip" href="([^"]*)" aria-current="true">/, in: narrow).first)
        #expect(chip == path)
        let file = try #require(PageListTests.addresses(/<a class="name" href="([^"]*)"/, in: narrow).first)
        let opened = try await shelf.page(file)
        #expect(PageListTests.addresses(/href="([^"]*)" rel="next"/, in: opened).allSatisfy { $0.contains("kind=pdf") })

        let none = try await shelf.page("\(path)?kind=archive")
        #expect(none.text.contains(words("filter.none")) && none.text.contains(#"<a href="\#(path)">"#))
        #expect(!none.text.contains(words("files.empty")))
        for wrong in ["kind=x", "since=yesterday", "until=2026-13-01"] {
            #expect(try await shelf.page("\(path)?\(wrong)").status == 400, "\(wrong)")
        }
        #expect(Self.names(try await shelf.page("\(path)?since=2100-01-01")).isEmpty)
        #expect(Self.names(try await shelf.page("\(path)?since=1999-01-01&until=2100-01-01")).count == 3)
        try await shelf.harness.stop()
    }

    @Test
    func sectionsKeepTheFilter() async throws {
        let shelf = try await Shelf("Sections")
        for index in 0..<120 { try await shelf.put("f \(1000 + index).\(index % 12 == 0 ? "zip" : "pdf")") }
        var (path, names): (String?, [String]) = ("/library/funds/\(shelf.fund)?kind=pdf", [])
        while let address = path {
            let page = try await shelf.page(address)
            names += Self.names(page)
            path = PageListTests.addresses(/href="([^"]*)" rel="next"/, in: page).first
        }
        #expect(names.count == 110 && names.allSatisfy { $0.hasSuffix(".pdf") })
        try await shelf.harness.stop()
    }

    /// The latest stands for all; acts are about what is chosen, and the older can be chosen by themselves.
    @Test
    func versionsAreOneRow() async throws {
        let shelf = try await Shelf("Versions")
        var files: [FileEntry] = []
        for name in ["report.pdf", "report(1).pdf", "report(2).pdf"] { files.append(try await shelf.put(name, name)) }
        try await shelf.put("other.pdf")
        let path = "/library/funds/\(shelf.fund)"
        let page = try await shelf.page(path)
        #expect(Self.names(page) == ["other.pdf", "report(2).pdf"])
        #expect(page.text.contains(#"<li class="row stack" data-key="file-\#(files[2].id)""#))
        #expect(page.text.contains(#"data-count="3" data-versions="file-\#(files[1].id) file-\#(files[0].id)""#))
        #expect(page.text.contains(#"data-total="4""#) && page.text.contains("<b>v3</b>"))
        for file in files { #expect(page.text.contains(#"name="item-file-\#(file.id)""#)) }
        let all = try #require(PageListTests.addresses(/href="([^"]*)" data-choose-all/, in: page).first)
        #expect(try await shelf.page(all).text.matches(of: /[ ]checked>/).count == 4)
        let answer = try await shelf.session.post(
            "/library/delete", "item-file-\(files[2].id)=on&back=\(path)", shelf.harness)
        #expect(answer.status == 303)
        #expect(try await shelf.names() == ["other.pdf", "report(1).pdf", "report.pdf"])
        #expect(Self.names(try await shelf.page(path)) == ["other.pdf", "report(1).pdf"])
        try await shelf.harness.stop()
    }
}

/// Subjects in the list of the fund that they name.
struct SubjectInFundTests {
    @Test(arguments: [
        ("[Fund1] Capital call", "Capital call"), ("[ fund1 ]  Call", "Call"), ("[alias] Call", "Call"),
        ("[Other] Call", "[Other] Call"), ("Re: [Fund1] Call", "Re: [Fund1] Call"), ("[Fund1]", "[Fund1]"),
        ("[Fund1", "[Fund1"), ("", "(no subject)"),
    ])
    func leavesTheTagOut(subject: String, shown: String) {
        var fund = FundEntry(
            id: Fund.ID(1), name: "Fund1", aliases: ["Alias"], createdAt: Timestamp(0), modifiedAt: Timestamp(0),
            deletedAt: nil, isFavourite: false)
        fund.isArchived = false
        let words = Words(language: .en)
        #expect(words.subject(subject, in: fund) == (subject.isEmpty ? words("mail.nosubject") : shown))
        #expect(words.subject(subject, in: nil) == (subject.isEmpty ? words("mail.nosubject") : subject))
    }
}

/// The list of all that a fund has.
struct AllPageTests {
    @Test
    func showsFoldersFilesMailAndNotes() async throws {
        let shelf = try await PageListTests.Shelf("All")
        let empty = try await shelf.page("/library/funds/\(shelf.fund)/all")
        #expect(empty.text.contains(Words(language: .en)("files.empty")))
        let people = shelf.harness.people
        let fund = Fund(id: shelf.fund, owner: shelf.ann, name: "All")
        _ = try await TestPeople.file("a mail of its own", [], in: fund, of: people.ann, shelf.harness.store)
        let file = try await shelf.put("a.pdf")
        let folder = try await shelf.library.addFolder("folder", in: shelf.top, of: shelf.ann)
        let note = try await shelf.library.addNote(
            NoteText(title: "a note", content: "text"), in: shelf.fund, of: shelf.ann)
        let page = try await shelf.page("/library/funds/\(shelf.fund)/all")
        let keys = PageListTests.addresses(/<li class="row[^"]*" data-key="([^"]*)"/, in: page)
        #expect(keys.first == "folder-\(folder.id)" && keys.contains { $0.hasPrefix("email-") })
        #expect(keys.contains("file-\(file.id)") && keys.contains("note-\(note.id)"))
        // Each is chosen by its own name, and opened beside this list.
        for key in keys { #expect(page.text.contains("name=\"item-\(key)\"")) }
        #expect(page.text.contains("/library/funds/\(shelf.fund)/all?open=f\(file.id)\""))
        let opened = try await shelf.page("/library/funds/\(shelf.fund)/all?open=n\(note.id)")
        #expect(opened.status == 200 && opened.text.contains("aria-current=\"true\""))
        let form = keys.map { "item-\($0)=on" }.joined(separator: "&")
        let answer = try await shelf.session.post("/library/delete", form, shelf.harness)
        #expect(answer.status == 303)
        let after = try await shelf.page("/library/funds/\(shelf.fund)/all")
        #expect(!after.text.contains("data-key=\"file-"))
        try await shelf.harness.stop()
    }

    /// The line of filters, the order, and acts on what is chosen are those of the list of files.
    @Test
    func narrowsDownAndActs() async throws {
        let shelf = try await PageListTests.Shelf("All")
        let (people, words) = (shelf.harness.people, Words(language: .en))
        let fund = Fund(id: shelf.fund, owner: shelf.ann, name: "All")
        let message = try await TestPeople.file("a mail", [], in: fund, of: people.ann, shelf.harness.store)
        let email = try #require(message.emailID)
        let (file, path) = (try await shelf.put("a.pdf"), "/library/funds/\(shelf.fund)/all")
        let note = try await shelf.library.addNote(
            NoteText(title: "a note", content: "text"), in: shelf.fund, of: shelf.ann)
        func keys(_ query: String) async throws -> [String] {
            PageListTests.addresses(/<li class="row[^"]*" data-key="([^"]*)"/, in: try await shelf.page(path + query))
        }
        let all = try await keys("")
        #expect(Set(all) == ["email-\(email)", "file-\(file.id)", "note-\(note.id)"])
        #expect(Set(try await keys("?sort=modified_at")) == Set(all))
        #expect(try await keys("?kind=pdf") == ["file-\(file.id)"])
        #expect(try await keys("?sender=ann") == ["email-\(email)"])
        #expect(try await shelf.page("\(path)?kind=archive").text.contains(words("latest.nomatch")))
        for wrong in ["sort=name", "kind=x", "until=yesterday"] {
            #expect(try await shelf.page("\(path)?\(wrong)").status == 400, "\(wrong)")
        }
        // An opened item keeps the filter and the order.
        let narrow = try await shelf.page("\(path)?kind=pdf&sort=modified_at")
        let fields = "?sort=modified_at&kind=pdf"
        #expect(narrow.text.contains(#"name="back" value="\#(path)?sort=modified_at&amp;kind=pdf""#))
        #expect(
            PageListTests.addresses(/<a class="name" href="([^"]*)"/, in: narrow) == [
                "\(path)\(fields)&open=f\(file.id)"
            ])
        // A download leaves notes out, and so does a move: of notes alone there is neither.
        let zip = "/library/funds/\(shelf.fund)/zip"
        let chosen = "item-file-\(file.id)=1&item-email-\(email)=1&item-note-\(note.id)=1"
        #expect(try await shelf.session.post(zip, chosen, shelf.harness).status == 200)
        #expect(try await shelf.session.post("/library/move", chosen, shelf.harness).status == 200)
        for act in [zip, "/library/move"] {
            let answer = try await shelf.session.post(act, "item-note-\(note.id)=1&back=\(path)", shelf.harness)
            #expect(answer["location"] == "\(path)?done=notes-stay", "\(act)")
        }
        try await shelf.harness.stop()
    }

    /// Opening a fund shows its mail: it is new once, above the line of the visit before.
    @Test
    func saysWhatIsNew() async throws {
        let shelf = try await PageListTests.Shelf("New")
        let fund = Fund(id: shelf.fund, owner: shelf.ann, name: "New")
        let path = "/library/funds/\(shelf.fund)/all"
        func arrive(_ subject: String, _ name: String) async throws {
            let part = TestPeople.Part(name: name, bytes: Array(name.utf8))
            _ = try await TestPeople.file(subject, [part], in: fund, of: shelf.harness.people.ann, shelf.harness.store)
        }
        /// Compares the numbers of rows that are new and of lines.
        func expect(_ new: Int, _ lines: Int, _ query: String = "") async throws {
            let text = try await shelf.page(path + query).text
            let found = [text.matches(of: /class="new"/).count, text.matches(of: /class="since"/).count]
            #expect(found == [new, lines], "\(query) \(found)")
        }
        // The mail and its file.
        try await arrive("new one", "a.pdf")
        try await expect(2, 0)
        try await expect(0, 0)
        try await arrive("new two", "b.pdf")
        // Another order has no line, and is no visit.
        try await expect(0, 0, "?sort=modified_at")
        try await expect(0, 0, "?sender=ann")
        try await expect(2, 1)
        try await expect(0, 0)
        try await shelf.harness.stop()
    }
}
