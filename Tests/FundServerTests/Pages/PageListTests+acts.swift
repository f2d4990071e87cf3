import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// New mail in a list, pages after acts on lists, and problems of fields.
extension PageListTests {
    /// By what was seen, not by how many are new: mail that is moved here may be later than what stands above it.
    @Test
    func marksMovedMailAsNew() async throws {
        let shelf = try await Shelf("News")
        let people = shelf.harness.people
        func file(_ text: String, in id: Fund.ID) async throws -> EmailSummary.ID {
            let fund = Fund(id: id, owner: shelf.ann, name: "")
            return try #require(
                try await TestPeople.file(text, [], in: fund, of: people.ann, shelf.harness.store).emailID)
        }
        let other = try await shelf.library.addFund("Other", of: shelf.ann).id
        let (path, elsewhere) = ("/library/funds/\(shelf.fund)/mail", "/library/funds/\(other)/mail")
        let first = try await file("first", in: shelf.fund)
        _ = try await shelf.page(path)
        let later = try await file("later", in: other)
        let latest = try await file("latest", in: shelf.fund)
        _ = try await shelf.page(elsewhere)
        func marked(_ page: RawHTTPResponse) -> [String] {
            page.text.split(separator: #"<li class="row" data-key="email-"#).dropFirst()
                .filter { $0.contains(#"class="new""#) }.map { String($0.prefix { $0.isNumber }) }
        }
        // The first and the later one come from the same second or stand in their order; neither hides the other.
        _ = try await shelf.library.moveEmail(later, to: shelf.fund, of: shelf.ann)
        _ = try await shelf.library.moveEmail(first, to: other, of: shelf.ann)
        let page = try await shelf.page(path)
        #expect(Set(marked(page)) == ["\(later)", "\(latest)"])
        // The address of what was chosen shows the same marks, although the visit is noted.
        let chosen = try #require(Self.addresses(/href="([^"]*)" data-choose-all/, in: page).first)
        #expect(Set(marked(try await shelf.page(chosen))) == ["\(later)", "\(latest)"])
        #expect(marked(try await shelf.page(path)).isEmpty)
        #expect(try await shelf.library.fundSummary(shelf.fund, of: shelf.ann).newEmailCount == 0)
        // Mail with a lower id than other new mail of the fund is seen with it, wherever it stands.
        let (low, high) = (try await file("low", in: shelf.fund), try await file("high", in: other))
        _ = try await shelf.library.moveEmail(high, to: shelf.fund, of: shelf.ann)
        let short = try await shelf.page(path + "?rows=1")
        #expect(marked(short).count == 1)
        let next = try #require(Self.addresses(/href="([^"]*)" rel="next"/, in: short).first)
        #expect(Set(marked(short) + marked(try await shelf.page(next))) == ["\(low)", "\(high)"])
        #expect(try await shelf.library.fundSummary(shelf.fund, of: shelf.ann).newEmailCount == 0)
        #expect(try await shelf.page(path + "?seen=x").status == 400)
        try await shelf.harness.stop()
    }

    /// Only those who want to see a list have seen what is new in it.
    @Test(arguments: [
        (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Referer": "http://a/library"], 0),
        (["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"], 0), ([:], 0),
        (["Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate", "Sec-Purpose": "prefetch;prerender"], 1),
        // Another site, the page that asks for itself because of it, and scripts.
        (["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"], 1),
        (["Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "navigate"], 1),
        (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "navigate", "Referer": "http://a{path}"], 1),
        (["Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "same-origin", "Referer": "http://a/library"], 1),
    ])
    func notesTheVisitsOfPeople(fields: [String: String], left: Int) async throws {
        let shelf = try await Shelf("News")
        let fund = Fund(id: shelf.fund, owner: shelf.ann, name: "News")
        _ = try await TestPeople.file("new", [], in: fund, of: shelf.harness.people.ann, shelf.harness.store)
        let path = "/library/funds/\(shelf.fund)/mail"
        let sent = fields.mapValues { $0.replacing("{path}", with: path) }
        #expect(try await shelf.session.get(path, shelf.harness, fields: sent).status == 200)
        let summary = try await shelf.library.fundSummary(shelf.fund, of: shelf.ann)
        #expect(summary.newEmailCount == left)
        try await shelf.harness.stop()
    }

    /// The list that was narrowed down is there again after an act, and a mail's own links stay in the list it is of.
    @Test
    func staysInTheListOfASender() async throws {
        let shelf = try await Shelf("Senders")
        let people = shelf.harness.people
        let path = "/library/funds/\(people.fund.id)/mail"
        let list = try await shelf.page(path + "?sender=ann%40")
        #expect(list.text.contains(#"name="back" value="\#(path)?sender=ann%40""#))
        #expect(list.text.contains(#"<form method="get" action="\#(path)""#))
        let fields = "item-email-\(people.email)=1&back=\(path)%3Fsender%3Dann%2540"
        let deleted = try await shelf.session.post("/library/delete", fields, shelf.harness)
        #expect(deleted["location"]?.hasPrefix(path + "?sender=ann%40&done=deleted&undo=") == true)
        _ = try await shelf.session.post("/library/restore", fields, shelf.harness)
        let email = "/library/emails/\(people.email)"
        let pictures = try await shelf.session.post(
            email + "/pictures", "back=%2Flibrary%2Fsearch%3Fq%3Da%2526b%26open%3Dm\(people.email)", shelf.harness)
        #expect(
            pictures["location"]?.hasPrefix(
                "/library/search?q=a%26b&open=m\(people.email)&view=html&pictures=") == true)
        let foreign = try await shelf.session.post(
            email + "/pictures", "back=https%3A%2F%2Fevil.example", shelf.harness)
        #expect(foreign["location"]?.hasPrefix(email + "?view=html&pictures=") == true)
        let letter = try await shelf.page(email + "?sender=ann%40")
        #expect(letter.text.contains(#"name="back" value="\#(path)?sender=ann%40""#))
        // A mail that is moved is shown among the mail of its fund.
        let moved = try await shelf.session.post(
            "/library/place", "item-email-\(people.email)=1&at=\(shelf.fund)&act=move", shelf.harness)
        #expect(moved["location"]?.hasPrefix("/library/funds/\(shelf.fund)/mail?done=moved&undo=") == true)
        let back = try await shelf.session.post(
            "/library/place", "item-email-\(people.email)=1&at=\(people.fund.id)&act=move", shelf.harness)
        #expect(back["location"]?.hasPrefix(path + "?done=moved&undo=") == true)
        try await shelf.harness.stop()
    }

    /// An item that is moved to where it lies stays, and the page says so.
    @Test
    func saysThatNothingWasMoved() async throws {
        let shelf = try await Shelf("Still")
        let people = shelf.harness.people
        let (email, here) = ("email-\(people.email)", people.fund.id)
        let mail = "/library/funds/\(here)/mail"
        let many = try await shelf.session.post("/library/place", "item-\(email)=1&at=\(here)&act=move", shelf.harness)
        #expect(many["location"] == mail + "?done=unmoved")
        let page = try await shelf.page(mail + "?done=unmoved")
        #expect(page.text.contains("Nothing was moved") && !page.text.contains("<p>Moved.</p>"))
        try await shelf.harness.stop()
    }

    /// More than fits into an address is restored from the trash, and the page says so instead of restoring a part.
    @Test
    func leadsToTheTrashAfterManyDeletions() async throws {
        let shelf = try await Shelf("Many")
        var notes: [String] = []
        for index in 0..<201 {
            let note = try await shelf.library.addNote(
                NoteText(title: "\(index)", content: ""), in: shelf.fund, of: shelf.ann)
            notes.append("item-note-\(note.id)=1")
        }
        let path = "/library/funds/\(shelf.fund)/notes"
        let fewer = notes.dropLast().joined(separator: "&") + "&back=\(path)"
        let few = try await shelf.session.post("/library/delete", fewer, shelf.harness)
        let page = try await shelf.page(try #require(few["location"]))
        #expect(page.text.matches(of: /type="hidden" name="item-note-/).count == 200)
        _ = try await shelf.session.post("/library/restore", fewer, shelf.harness)
        #expect(try await shelf.library.countNotes(in: shelf.fund, of: shelf.ann) == 201)
        let all = try await shelf.session.post(
            "/library/delete", notes.joined(separator: "&") + "&back=\(path)", shelf.harness)
        #expect(all["location"] == path + "?done=deleted-texts")
        let after = try await shelf.page(path + "?done=deleted-texts")
        #expect(!after.text.contains("item-note-") && after.text.contains("href=\"/library/trash?of=mail\">Trash"))
        #expect(try await shelf.page(path + "?done=deleted-many").text.contains("href=\"/library/trash\">Trash"))
        try await shelf.harness.stop()
    }

    /// The typed text is there again, the field says what is wrong, and the message leads to the field.
    @Test
    func showsWhatIsWrongAtItsField() async throws {
        let shelf = try await Shelf("Taken")
        try await shelf.put("name")
        let file = try await shelf.put("file")
        let fund = "/library/funds/\(shelf.fund)"
        let cases: [(path: String, form: String, field: String, value: String?)] = [
            ("\(fund)/folders", "name=name", "folder-name", "name"), ("/library/funds", "name=taken", "name", "taken"),
            ("/library/items/file/\(file.id)/name", "name=name", "name", "name"),
            ("\(fund)/aliases", "alias=taken%0A", "alias", nil),
            ("/account/password", "current=x&new=y&again=z", "again", nil),
            ("/account/password", "current=x&new=y&again=y", "new", nil),
            ("/account/password", "current=x&new=a+new+long+password&again=a+new+long+password", "current", nil),
            ("/account/app-passwords", "label=", "label", nil),
            ("/sign-in", "username=ann&password=x", "username", "ann"),
        ]
        for (path, form, field, value) in cases {
            let page = try await shelf.session.post(path, form, shelf.harness)
            #expect(page.status >= 400, "\(path)")
            let input = try #require(
                page.text.matches(of: /<(input|select) [^>]*>/).map { String($0.0) }
                    .first { $0.contains("id=\"\(field)\"") }, "\(path)")
            #expect(input.contains("aria-invalid=\"true\""), "\(path)")
            let problem = try #require(input.firstMatch(of: /aria-describedby="([^"]*)"/)?.1, "\(path)")
            #expect(page.text.contains("<p class=\"problem\" id=\"\(problem)\">"), "\(path)")
            #expect(page.text.contains("<a href=\"#\(field)\">"), "\(path)")
            if let value { #expect(input.contains("value=\"\(value)\""), "\(path)") }
            #expect(!page.text.contains("name=\"back\" value=\"\(fund)/folders\""))
        }
        try await shelf.harness.stop()
    }

    /// Mail and notes are in the trash, too, and come back from there.
    @Test
    func restoresMailAndNotes() async throws {
        let shelf = try await Shelf("A <b>fund")
        let people = shelf.harness.people
        let note = try await shelf.library.addNote(
            NoteText(title: "<i>{{csrf}}", content: "c"), in: shelf.fund, of: shelf.ann)
        let path = "/library/trash?of=mail"
        #expect(try await shelf.page(path).text.contains("No mail or note is in the trash."))
        _ = try await shelf.session.post(
            "/library/delete", "item-note-\(note.id)=1&item-email-\(people.email)=1", shelf.harness)
        let files = try await shelf.page("/library/trash")
        #expect(files.text.contains("No fund, folder or file is in the trash.") && !files.text.contains("item-note-"))
        let page = try await shelf.page(path)
        #expect(
            page.text.contains(
                "<span>&lt;i&gt;{{csrf}}</span><span></span></bdi></a><span class=\"sub\"><span class=\"first\">"
                    + "Note · from <bdi>A &lt;b&gt;fund</bdi>"))
        #expect(page.text.contains("name=\"item-email-\(people.email)\""))
        let bea = try await BrowserSession(people.bea, shelf.harness)
        #expect(!(try await bea.get(path, shelf.harness).text.contains("item-note-")))
        let answer = try await shelf.session.post(
            "/library/restore", "item-note-\(note.id)=1&item-email-\(people.email)=1&back=\(path)", shelf.harness)
        #expect(answer["location"] == path + "&done=restored")
        #expect(try await shelf.library.note(note.id, of: shelf.ann).text.content == "c")
        #expect(try await shelf.library.email(people.email, of: shelf.ann).summary.deletedAt == nil)
        #expect(try await shelf.page("/library/trash?of=x").status == 400)
        // A list of many comes in sections.
        for index in 0..<101 {
            let note = try await shelf.library.addNote(
                NoteText(title: "\(index)", content: "c"), in: shelf.fund, of: shelf.ann)
            try await shelf.library.deleteNote(note.id, unlessChangedSince: nil, of: shelf.ann)
        }
        let first = try await shelf.page(path)
        let next = try #require(Self.addresses(/href="([^"]*)" rel="next"/, in: first).first)
        #expect(next.contains("of=mail"))
        #expect(try await shelf.page(next).text.matches(of: /<li class="row"/).count == 1)
        try await shelf.harness.stop()
    }
}
