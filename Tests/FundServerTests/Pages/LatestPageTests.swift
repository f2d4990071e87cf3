import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// The pages of what arrived over all funds, and of what was put out of sight.
struct LatestPageTests {
    private func rows(_ page: RawHTTPResponse) -> [String] {
        PageListTests.addresses(/<li class="(?:arrival|since)" data-key="([^"]*)"/, in: page)
    }

    @Test
    func mailsStandWithTheirFilesBelowTheirDay() async throws {
        let now = Timestamp.now
        var options = ServerHarness.Options()
        options.now = { now }
        let harness = try await ServerHarness(options)
        let people = harness.people
        let ann = try await BrowserSession(people.ann, harness)
        let page = try await ann.get("/library/latest", harness)
        #expect(page.status == 200 && rows(page) == ["email-\(people.email)"])
        #expect(page.text.matches(of: /<li class="clip"/).count == 3)
        #expect(page.text.contains("<bdi>report</bdi><span>.pdf</span>") && page.text.contains("body of first"))
        #expect(page.text.contains("<h2 class=\"day\">Today <small>"))
        #expect(page.text.contains("data-live=\"list\"") && page.text.contains("<meta name=\"changes\""))
        // Yesterday's attachment is two steps away: this page, and the file.
        let file = try #require(PageListTests.addresses(/href="(\/library\/latest\?open=f[0-9]+)/, in: page).first)
        #expect(try await ann.get(file, harness).text.contains("report.pdf"))
        let chinese = try await ann.get("/library/latest", harness, fields: ["Accept-Language": "zh"])
        #expect(chinese.text.contains("<h2 class=\"day\">今天 <small>") && chinese.text.contains("星期"))
        #expect(rows(try await BrowserSession(people.bea, harness).get("/library/latest", harness)).isEmpty)
        try await harness.stop()
    }

    @Test
    func allIsMarkedAsSeen() async throws {
        let harness = try await ServerHarness()
        let people = harness.people
        let ann = try await BrowserSession(people.ann, harness)
        var page = try await ann.get("/library/latest", harness)
        #expect(
            page.text.contains("class=\"row fresh") && page.text.contains("name=\"upto\" value=\"\(people.email)\""))
        // It came after the page was made, and stays new.
        let later = try #require(
            try await TestPeople.file("later", [], in: people.fund, of: people.ann, harness.store).emailID)
        let answer = try await ann.post("/library/latest/seen", "upto=\(people.email)", harness)
        #expect(answer["location"] == "/library/latest?done=seen-all")
        page = try await ann.get("/library/latest", harness)
        #expect(page.text.matches(of: /class="row fresh/).count == 1 && page.text.contains("value=\"\(later)\""))
        _ = try await ann.post("/library/latest/seen", "upto=\(later)", harness)
        page = try await ann.get("/library/latest", harness)
        #expect(!page.text.contains("class=\"row fresh") && !page.text.contains("name=\"upto\""))
        for wrong in ["", "upto=x", "upto=-1"] {
            #expect(try await ann.post("/library/latest/seen", wrong, harness).status == 400, "\(wrong)")
        }
        try await harness.stop()
    }

    @Test
    func filtersAndRefusesOthers() async throws {
        let shelf = try await PageListTests.Shelf("Second")
        let people = shelf.harness.people
        for name in ["a <i>.txt", "b.txt"] { try await shelf.put(name) }
        try await shelf.library.setFavourite(true, .fund(shelf.fund), of: shelf.ann)
        // Files that were put there one after the other are one row.
        let whole = try await shelf.page("/library/latest")
        #expect(rows(whole).count == 2 && whole.text.contains("a &lt;i&gt;"))
        #expect(rows(try await shelf.page("/library/latest?kind=mail")) == ["email-\(people.email)"])
        #expect(rows(try await shelf.page("/library/latest?kind=uploads")).count == 1)
        #expect(rows(try await shelf.page("/library/latest?starred=true&kind=mail")).isEmpty)
        #expect(rows(try await shelf.page("/library/latest?fund=\(people.fund.id)")) == ["email-\(people.email)"])
        for (query, status) in [
            ("kind=x", 400), ("starred=x", 400), ("fund=x", 400), ("fund=\(people.otherFund.id)", 404),
            ("seen=x", 400), ("cursor=x", 400),
        ] { #expect(try await shelf.page("/library/latest?\(query)").status == status, "\(query)") }
        let none = try await shelf.page("/library/latest?starred=true&kind=mail")
        #expect(none.text.contains(Words(language: .en)("latest.nomatch")))
        try await shelf.harness.stop()
    }

    // MARK: Rows of a fund, trash

    @Test
    func rowsNameSenderAndSubject() async throws {
        let shelf = try await PageListTests.Shelf("Empty")
        let page = try await shelf.page("/library/funds/\(shelf.harness.people.fund.id)")
        // The person's name, and the subject without the tag of this very fund.
        #expect(page.text.contains("<bdi class=\"first\">Ann</bdi> <span>·</span> <bdi>first</bdi>"))
        try await shelf.put("upload.txt")
        #expect(try await !shelf.page("/library/funds/\(shelf.fund)").text.contains("<bdi class=\"first\">"))
        try await shelf.harness.stop()
    }

    @Test
    func theTrashSaysWhereFromAndUntilWhen() async throws {
        var options = ServerHarness.Options()
        options.restorableDays = 30
        let harness = try await ServerHarness(options)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let (library, fund, user) = (harness.store.library, harness.people.fund.id, harness.people.ann.id)
        let note = try await library.addNote(NoteText(title: "<b>note", content: ""), in: fund, of: user).id
        let file = try #require(try await library.item(at: ["Fund1", "report.pdf"], of: user)).itemID.number
        _ = try await ann.post("/library/delete", "item-file-\(file)=1&item-note-\(note)=1", harness)
        let trash = try await ann.get("/library/trash", harness).text
        let words = Words(language: .en)
        #expect(trash.contains("\(words("trash.from")) <bdi>") && trash.contains("\(words("trash.until")) <time"))
        #expect(try await ann.get("/library/trash?of=mail", harness).text.contains(words("trash.until")))
        // It asks before anything goes for good, and names it.
        #expect(!trash.contains("action=\"/library/trash/empty\"") && trash.contains("href=\"/library/trash/empty\""))
        let question = try await ann.get("/library/trash/empty", harness).text
        #expect(question.contains("1 file, 1 note") && question.contains("report.pdf"))
        #expect(question.contains("&lt;b&gt;note") && question.contains("action=\"/library/trash/empty\""))
        #expect(question.contains(words("trash.keepsarchive")))
        // Without what was shown it asks, and what is deleted after the question stays, however soon that was.
        #expect(try await ann.post("/library/trash/empty", "", harness).status == 200)
        let shown = try #require(question.firstMatch(of: /name="shown" value="([0-9.]+)"/)?.1)
        let late = try #require(try await library.item(at: ["Fund1", "large.bin"], of: user)).itemID
        try await library.delete(late, of: user)
        let answer = try await ann.post("/library/trash/empty", "shown=\(shown)", harness)
        let left = try await library.deletedItems(of: user, by: TrashOrder(), PageQuery()).items.map(\.itemID)
        #expect(answer["location"] == "/library/trash?done=emptied-mostly" && left == [late])
        let twice = try await ann.post("/library/trash/empty", "shown=\(shown)", harness)
        #expect(twice.status == 409 && twice.text.contains(words("trash.changed")))
        let again = try await ann.get("/library/trash/empty", harness).text
        let now = try #require(again.firstMatch(of: /name="shown" value="([0-9.]+)"/)?.1)
        let last = try await ann.post("/library/trash/empty", "shown=\(now)", harness)
        #expect(last["location"] == "/library/trash?done=emptied")
        #expect(try await ann.get("/library/trash/empty", harness)["location"] == "/library/trash")
        try await harness.stop()
    }

    /// An item chosen in the trash goes for good after one question, and nothing else.
    @Test
    func deletesForGoodWhatIsChosen() async throws {
        let shelf = try await PageListTests.Shelf("Chosen")
        let (one, two) = (try await shelf.put("one"), try await shelf.put("two"))
        let chosen = "item-file-\(one.id)=1"
        _ = try await shelf.session.post("/library/delete", "\(chosen)&item-file-\(two.id)=1", shelf.harness)
        let question = try await shelf.session.post("/library/trash/delete", chosen, shelf.harness)
        #expect(question.status == 200 && question.text.contains("<b>1 item</b>"))
        func left() async throws -> Set<LibraryItemID> {
            Set(try await shelf.library.deletedItems(of: shelf.ann, by: TrashOrder(), PageQuery()).items.map(\.itemID))
        }
        #expect(try await left() == [.file(one.id), .file(two.id)])
        for done in ["purged", "not-in-trash"] {
            let answer = try await shelf.session.post("/library/trash/delete", "\(chosen)&sure=1", shelf.harness)
            #expect(answer["location"] == "/library/trash?done=\(done)")
            #expect(try await left() == [.file(two.id)])
        }
        let nothing = try await shelf.session.post("/library/trash/delete", "sure=1", shelf.harness)
        #expect(nothing["location"] == "/library/trash?done=nothing")
        try await shelf.harness.stop()
    }

    @Test
    func theArchiveNamesAnotherWhoArchived() async throws {
        let harness = try await ServerHarness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let empty = try await ann.get("/library/archive", harness)
        #expect(empty.text.contains(Words(language: .en)("archived.empty")))
        try await harness.store.administration.archiveFund(harness.people.fund.id, actor: "root@example.com")
        let page = try await ann.get("/library/archive", harness)
        #expect(page.text.contains("archived by <bdi>root@example.com</bdi>") && page.text.contains("3 files · 1 mail"))
        let answer = try await ann.post(
            "/library/restore", "item-fund-\(harness.people.fund.id)=1&back=/library/archive", harness)
        let location = try #require(answer["location"])
        #expect(location.hasPrefix("/library/archive?done=restored&as="))
        #expect(try await ann.get(location, harness).text.contains("Restored as \u{2068}Fund1\u{2069}."))
        // No one else can have the page say something.
        let made = try await ann.get("/library/archive?done=restored&as=Fund2", harness)
        #expect(made.text.contains("<p>Restored.</p>"))
        #expect(try await ann.get("/library/funds/\(harness.people.fund.id)", harness).status == 200)
        try await harness.stop()
    }
}
