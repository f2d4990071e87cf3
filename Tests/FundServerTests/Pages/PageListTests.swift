import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Lists on pages: sections, how they are shown, what leads from one item to the next, and acts on many at once.
struct PageListTests {
    /// A fund of Ann's with some files.
    struct Shelf {
        let harness: ServerHarness
        let session: BrowserSession
        let fund: Fund.ID

        var ann: User.ID { harness.people.ann.id }
        var library: any FileLibrary & MailLibrary { harness.store.library }
        var top: LibraryPlace { LibraryPlace(fund: fund) }

        init(_ name: String, _ options: ServerHarness.Options = .init()) async throws {
            harness = try await ServerHarness(options)
            session = try await BrowserSession(harness.people.ann, harness)
            fund = try await harness.store.library.addFund(name, of: harness.people.ann.id).id
        }

        @discardableResult
        func put(_ name: String, _ text: String? = nil, in place: LibraryPlace? = nil) async throws -> FileEntry {
            let upload = try library.makeUpload(named: name, announcing: nil)
            // Files with the same bytes would be versions of one.
            try Array((text ?? name).utf8).withUnsafeBytes { try upload.append($0) }
            return try await library.addFile(
                try upload.finish(contentType: "text/plain"),
                at: FileTarget(name, in: place ?? top, ifTaken: .refuse), of: ann)
        }

        func page(_ path: String, fields: [String: String] = [:]) async throws -> RawHTTPResponse {
            try await session.get(path, harness, fields: fields)
        }

        func names(_ place: LibraryPlace? = nil) async throws -> [String] {
            try await library.children(of: place ?? top, of: ann).map(\.name)
        }
    }

    static func addresses(_ pattern: Regex<(Substring, Substring)>, in page: RawHTTPResponse) -> [String] {
        page.text.matches(of: pattern).map { String($0.1).replacing("&amp;", with: "&") }
    }

    /// The first 100, then 50 at a time; the others all at once if they are asked for so.
    @Test
    func comesInSections() async throws {
        let shelf = try await Shelf("Many")
        for index in 0..<180 { try await shelf.put("file \(1000 + index)") }
        let all = try await shelf.names()
        var (found, path): ([String], String?) = ([], "/library/funds/\(shelf.fund)?sort=name")
        var counts: [Int] = []
        while let address = path {
            let page = try await shelf.page(address)
            let rows = Self.addresses(/<a class="name" href="[^"]*"><bdi class="file"><span>([^<]*)<\/span>/, in: page)
            counts.append(rows.count)
            found += rows
            path = Self.addresses(/href="([^"]*)" rel="next"/, in: page).first
        }
        #expect(counts == [100, 50, 30] && found == all)
        let first = try await shelf.page("/library/funds/\(shelf.fund)")
        let whole = try #require(Self.addresses(/href="([^"]*)" data-all/, in: first).first)
        let page = try await shelf.page(whole)
        #expect(page.text.matches(of: /<li class="row"/).count == 180 && !page.text.contains("data-paging"))
        #expect(try await shelf.page("/library/funds/\(shelf.fund)?rows=501").status == 400)
        try await shelf.harness.stop()
    }

    /// The browser keeps what was chosen last; an address says more.
    @Test
    func remembersHowFilesAreShown() async throws {
        let shelf = try await Shelf("Shown")
        try await shelf.put("a", "long text")
        try await shelf.put("b", "x")
        func order(_ page: RawHTTPResponse) -> [String] {
            Self.addresses(/<bdi class="file"><span>(a|b)<\/span>/, in: page)
        }
        let path = "/library/funds/\(shelf.fund)"
        let plain = try await shelf.page(path)
        #expect(order(plain) == ["a", "b"] && plain["set-cookie"] == nil)
        let grid = try await shelf.page(path + "?view=grid&sort=size")
        #expect(order(grid) == ["b", "a"] && grid.text.contains(#"class="rows files grid""#))
        #expect(grid["set-cookie"]?.hasPrefix("fundmail-files=grid.size; Path=/library; ") == true)
        let kept = "\(shelf.session.cookie); fundmail-files=grid.size"
        let again = try await shelf.harness.send("GET", path, fields: ["Cookie": kept])
        #expect(order(again) == ["b", "a"] && again.text.contains(#"class="rows files grid""#))
        let other = try await shelf.harness.send("GET", path + "?view=list&sort=-name", fields: ["Cookie": kept])
        #expect(order(other) == ["b", "a"] && !other.text.contains(#"class="rows files grid""#))
        for wrong in ["x", "grid.", ".", "grid.x", String(repeating: "g", count: 5000)] {
            let page = try await shelf.harness.send(
                "GET", path, fields: ["Cookie": "\(shelf.session.cookie); fundmail-files=\(wrong)"])
            #expect(page.status == 200 && order(page) == ["a", "b"], "\(wrong.prefix(20))")
        }
        #expect(try await shelf.page(path + "?view=tree").status == 400)
        try await shelf.harness.stop()
    }

    @Test
    func choosesAllWithoutScripts() async throws {
        let shelf = try await Shelf("Chosen")
        for name in ["a", "b"] { try await shelf.put(name) }
        let page = try await shelf.page("/library/funds/\(shelf.fund)")
        #expect(!page.text.contains(" checked"))
        let link = try #require(Self.addresses(/href="([^"]*)" data-choose-all/, in: page).first)
        #expect(try await shelf.page(link).text.matches(of: /[ ]checked>/).count == 2)
        try await shelf.harness.stop()
    }

    /// From hits, files and emails to what stands beside them, as far as the list goes.
    @Test
    func leadsFromOneToTheNext() async throws {
        let shelf = try await Shelf("Chain")
        let files = [try await shelf.put("a report"), try await shelf.put("b <i>report"), try await shelf.put("c")]
        func beside(_ page: RawHTTPResponse) -> [String] {
            let nav = page.text.split(separator: "<nav class=\"beside\"").dropFirst().first?.split(separator: "</nav>")
                .first
            return (nav ?? "").matches(of: /href="([^"]*)" rel="(prev|next)"/).map {
                "\($0.2) \($0.1.replacing("&amp;", with: "&"))"
            }
        }
        let second = try await shelf.page("/library/files/\(files[1].id)")
        let fund = "/library/funds/\(shelf.fund)"
        func link(_ file: Int, _ fields: String = "") -> String {
            "\(fund)?\(fields)open=f\(files[file].id)#r\(files[file].id)"
        }
        #expect(beside(second) == ["prev \(link(0))", "next \(link(2))"])
        #expect(second.text.contains(" data-keys>"))
        let reversed = try await shelf.page("/library/files/\(files[1].id)?sort=-name")
        #expect(
            beside(reversed) == ["prev \(link(2, "sort=-name&"))", "next \(link(0, "sort=-name&"))"])
        let off = try await shelf.harness.send(
            "GET", "\(fund)?open=f\(files[1].id)",
            fields: ["Cookie": "\(shelf.session.cookie); \(PageKeys.cookie)=off"])
        #expect(off.status == 200 && !off.text.contains("data-keys"))

        while try await shelf.harness.store.maintenance.index.indexPending() > 0 {}
        let hits = try await shelf.page("/library/search?q=report&fund=\(shelf.fund)")
        let links = Self.addresses(/<a class="name" href="([^"]*)"/, in: hits)
        #expect(
            links.count == 2 && links.allSatisfy { $0.contains("/library/search?q=report&fund=\(shelf.fund)&open=f") })
        let hit = try await shelf.page(links[0])
        #expect(beside(hit) == ["next \(links[1])"])
        #expect(hit.text.contains(#"href="/library/search?q=report&amp;fund=\#(shelf.fund)""#))
        #expect(beside(try await shelf.page(links[1])) == ["prev \(links[0])"])
        // A list of another person leads nowhere.
        let foreign = try await shelf.page(
            "/library/files/\(files[0].id)?in=search&q=report&fund=\(shelf.harness.people.otherFund.id)")
        #expect(foreign.status == 404)

        let people = shelf.harness.people
        let email = try #require(
            try await TestPeople.file("second", [], in: people.fund, of: people.ann, shelf.harness.store).emailID)
        let letter = try await shelf.page("/library/emails/\(people.email)?sender=ann%40")
        #expect(beside(letter) == ["prev /library/funds/\(people.fund.id)/mail?sender=ann%40&open=m\(email)#r\(email)"])
        try await shelf.harness.stop()
    }

    @Test
    func saysWhereAFileCameFrom() async throws {
        let shelf = try await Shelf("Other place")
        let people = shelf.harness.people
        let item = try #require(
            try await shelf.library.item(at: ["Fund1", "report.pdf"], of: shelf.ann))
        let moved = try await shelf.library.move(
            item.itemID, to: shelf.top, named: "renamed <b>.pdf", ifTaken: .refuse, of: shelf.ann)
        try await shelf.put("twin.txt", "0123456789")
        let page = try await shelf.page("/library/files/\(moved.itemID.number)").text
        #expect(page.contains(#"href="/library/emails/\#(people.email)""#))
        #expect(page.contains("Attachment 1 of 3") && page.contains("<bdi>report.pdf</bdi>"))
        #expect(
            page.contains("renamed &lt;b&gt;.pdf") && page.contains("Renamed to") && page.contains("Now in"))
        #expect(page.contains("Same bytes as") && page.contains("twin.txt"))
        try await shelf.library.deleteEmail(people.email, of: shelf.ann)
        let orphan = try await shelf.page("/library/files/\(moved.itemID.number)").text
        #expect(!orphan.contains("/library/emails/") && orphan.contains("It is deleted."))
        try await shelf.harness.stop()
    }

    @Test
    func movesManyAtOnce() async throws {
        let shelf = try await Shelf("From")
        let hostile = "<img src=x onerror=alert(1)>"
        let (one, two) = (try await shelf.put(hostile), try await shelf.put("two"))
        let (inner, target) = (
            try await shelf.library.addFolder("Inner", in: shelf.top, of: shelf.ann),
            try await shelf.library.addFolder("Target", in: shelf.top, of: shelf.ann)
        )
        let place = LibraryPlace(fund: shelf.fund, folder: target.id)
        try await shelf.put("two", "another", in: place)
        let chosen =
            "item-file-\(one.id)=1&item-file-\(two.id)=1&item-folder-\(inner.id)=1&back=/library/funds/\(shelf.fund)"
        let dialog = try await shelf.session.post("/library/move", chosen, shelf.harness)
        #expect(dialog.status == 200 && dialog.text.contains("Move or copy 3 items"))
        #expect(dialog.text.contains(#"value="\#(shelf.fund)-\#(target.id)""#))
        // A folder is no place for itself.
        #expect(!dialog.text.contains(#"value="\#(shelf.fund)-\#(inner.id)""#))
        #expect(!dialog.text.contains("<img src=x"))

        let at = "at=\(shelf.fund)-\(target.id)"
        let deeper = try await shelf.session.post("/library/move", "\(chosen)&\(at)", shelf.harness)
        #expect(deeper.text.contains(#"value="\#(shelf.fund)-\#(target.id)" required checked"#))
        let partly = try await shelf.session.post("/library/place", "\(chosen)&\(at)&act=move", shelf.harness)
        #expect(partly.status == 409 && partly.text.contains("Moved: 2 items. Not moved: 1 item;"))
        // It asks what becomes of the other one, with both by their sizes.
        #expect(partly.text.contains("1 name is taken there") && partly.text.contains("<span>two</span>"))
        #expect(partly.text.matches(of: /<dd>\d+ B · <time/).count == 2)
        #expect(try await shelf.names() == ["Target", "two"])
        #expect(try await shelf.names(place) == ["Inner", hostile, "two"])

        let rest = "item-file-\(two.id)=1&\(at)&act=copy&if_taken=number"
        let copied = try await shelf.session.post("/library/place", rest, shelf.harness)
        #expect(copied["location"] == "/library/funds/\(shelf.fund)?folder=\(target.id)&done=copied")
        #expect(try await shelf.names(place) == ["Inner", hostile, "two", "two(1)"])
        // Neither into another's fund nor into a folder of another fund.
        for wrong in ["\(shelf.harness.people.otherFund.id)", "\(shelf.harness.people.fund.id)-\(target.id)", "0", "x"]
        {
            let answer = try await shelf.session.post(
                "/library/place", "item-file-\(two.id)=1&at=\(wrong)&act=move", shelf.harness)
            #expect([400, 404].contains(answer.status), "\(wrong)")
        }
        #expect(try await shelf.names() == ["Target", "two"])
        let nothing = try await shelf.session.post("/library/move", "back=/library/trash", shelf.harness)
        #expect(nothing["location"] == "/library/trash?done=nothing")
        try await shelf.harness.stop()
    }

    /// Every word that a page has for something in the way of all or of a part.
    @Test
    func saysWhatBecameOfWhatWasChosen() async throws {
        let shelf = try await Shelf("Source")
        let (one, two) = (try await shelf.put("one"), try await shelf.put("two"))
        let target = try await shelf.library.addFolder("Target", in: shelf.top, of: shelf.ann)
        try await shelf.put("two", "another", in: LibraryPlace(fund: shelf.fund, folder: target.id))
        let at = "at=\(shelf.fund)-\(target.id)&act=move"
        // The page that is to tell of the part cannot be made.
        let partly = try await shelf.session.post(
            "/library/place", "item-file-\(one.id)=1&item-folder-\(target.id)=1&more-funds=x&\(at)", shelf.harness)
        #expect(partly.status == 400 && partly.text.contains("Done before that: 1 item. The rest was not."))
        try await shelf.library.delete(.file(one.id), of: shelf.ann)
        let gone = "item-file-\(one.id)=1&back=/library"
        for (path, form) in [
            ("/library/delete", gone), ("/library/move", gone), ("/library/place", "\(gone)&\(at)"),
        ] {
            let answer = try await shelf.session.post(path, form, shelf.harness)
            #expect(answer["location"] == "/library?done=nothing-there", "\(path)")
        }
        let present = try await shelf.session.post(
            "/library/restore", "item-file-\(two.id)=1&back=/library", shelf.harness)
        #expect(present["location"] == "/library?done=not-in-trash")
        for path in ["/library/delete", "/library/place", "/library/restore"] {
            let answer = try await shelf.session.post(path, "\(at)&back=/library", shelf.harness)
            #expect(answer["location"] == "/library?done=nothing", "\(path)")
        }
        try await shelf.harness.stop()
    }

    /// All folders and funds can be reached, some at a time.
    @Test
    func choosesAmongManyPlaces() async throws {
        let shelf = try await Shelf("Many")
        let count = PageRoute.maxPlaces + 20
        for index in 0..<count {
            _ = try await shelf.library.addFolder("folder \(1000 + index)", in: shelf.top, of: shelf.ann)
            _ = try await shelf.library.addFund("Fund \(1000 + index)", of: shelf.ann)
        }
        let file = try await shelf.put("x")
        let form = "item-file-\(file.id)=1&beside=\(shelf.fund)"
        func places(_ page: RawHTTPResponse) -> [String] {
            PageListTests.addresses(/<input type="radio" name="at" value="[^"]*"[^>]*>.*?<bdi>([^<]*)<\/bdi>/, in: page)
        }
        let first = try await shelf.session.post("/library/move", form, shelf.harness)
        var found = Set(places(first))
        for name in ["more-folders", "more-funds"] {
            let pattern = try Regex("name=\"\(name)\" value=\"([^\"]*)\"", as: (Substring, Substring).self)
            let cursor = try #require(PageListTests.addresses(pattern, in: first).first)
            let more = try await shelf.session.post("/library/move", "\(form)&\(name)=\(cursor)", shelf.harness)
            #expect(more.status == 200 && !more.text.contains("name=\"\(name)\""))
            found.formUnion(places(more))
        }
        #expect(found.count(where: { $0.hasPrefix("folder ") }) == count)
        #expect(found.count(where: { $0.hasPrefix("Fund 1") }) == count)
        let wrong = try await shelf.session.post("/library/move", "\(form)&more-funds=x", shelf.harness)
        #expect(wrong.status == 400)
        try await shelf.harness.stop()
    }

    @Test
    func movesMail() async throws {
        let shelf = try await Shelf("Target")
        let people = shelf.harness.people
        let dialog = try await shelf.session.post("/library/move", "item-email-\(people.email)=1", shelf.harness)
        #expect(dialog.text.contains("Move 1 mail") && !dialog.text.contains(#"value="copy""#))
        let answer = try await shelf.session.post(
            "/library/place", "item-email-\(people.email)=1&at=\(shelf.fund)&act=move&back=/library", shelf.harness)
        #expect(answer["location"]?.hasPrefix("/library?done=moved&undo=") == true)
        #expect(try await shelf.library.email(people.email, of: shelf.ann).summary.fund == shelf.fund)
        #expect(try await shelf.names().count == 3)
        try await shelf.harness.stop()
    }

    /// A line between what is new and what was there, also where the new ones fill more than a section.
    @Test
    func tellsNewMailFromOld() async throws {
        let shelf = try await Shelf("News")
        let people = shelf.harness.people
        let fund = Fund(id: shelf.fund, owner: shelf.ann, name: "News")
        func file(_ text: String) async throws {
            _ = try await TestPeople.file(text, [], in: fund, of: people.ann, shelf.harness.store)
        }
        for index in 0..<3 { try await file("old \(index)") }
        let path = "/library/funds/\(shelf.fund)/mail"
        _ = try await shelf.page(path)
        for index in 0..<4 { try await file("new \(index)") }
        let line = #"<li class="since" data-key="since">"#
        let filtered = try await shelf.page(path + "?sender=ann")
        #expect(!filtered.text.contains(line) && filtered.text.matches(of: /<li class="row"/).count == 7)
        #expect(try await shelf.page(path + "?sender=nobody").text.contains("No mail here fits this filter"))
        let short = try await shelf.page(path + "?rows=2")
        #expect(!short.text.contains(line) && short.text.matches(of: /class="new"/).count == 2)
        let next = try #require(Self.addresses(/href="([^"]*)" rel="next"/, in: short).first)
        let rest = try await shelf.page(next + "&rows=5")
        let parts = rest.text.split(separator: line)
        #expect(parts.count == 2 && parts[0].matches(of: /<li class="row"/).count == 2)
        // It has been seen now.
        #expect(!(try await shelf.page(path).text.contains(line)))
        try await shelf.harness.stop()
    }
}
