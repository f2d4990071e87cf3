import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// An item opened beside its list: its address, the page with both, and its region alone.
struct OpenedItemTests {
    @Test
    func keysNameItems() {
        for item in [LibraryItemID.file(.init(42)), .email(.init(7)), .note(.init(3))] {
            #expect(item.openKey.flatMap { LibraryItemID(openKey: $0) } == item)
        }
        #expect(LibraryItemID.file(.init(42)).openKey == "f42" && LibraryItemID.fund(.init(1)).openKey == nil)
        for text in ["", "f", "42", "x42", "f0", "f-1", "f4 2", "F42", "f99999999999999999999"] {
            #expect(LibraryItemID(openKey: text) == nil, "\(text)")
        }
    }

    @Test
    func ownAddressesLeadToTheList() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let cookie = try await BrowserSession(harness.people.ann, harness).cookie
        func location(_ path: String) async throws -> String? {
            try await harness.send("GET", things.fill(path), fields: ["Cookie": cookie])["location"]
        }
        let fund = things.fill("/library/funds/%fund%")
        #expect(
            try await location("/library/files/%file%?page=3&info=1")
                == things.fill("\(fund)?open=f%file%&page=3&info=1#r%file%"))
        #expect(
            try await location("/library/files/%file%?sort=-size")
                == things.fill("\(fund)?sort=-size&open=f%file%#r%file%"))
        #expect(
            try await location("/library/emails/%email%?view=html&sender=a")
                == things.fill("\(fund)/mail?sender=a&open=m%email%&view=html#r%email%"))
        #expect(try await location("/library/notes/%note%") == things.fill("\(fund)/notes?open=n%note%#r%note%"))
        #expect(
            try await location("/library/files/%file%?in=search&q=a%20b")
                == things.fill("/library/search?q=a%20b&open=f%file%"))
        let content = try await harness.send(
            "HEAD", things.fill("/library/files/%file%/content"), fields: ["Cookie": cookie])
        #expect(content.status == 200)
        try await harness.stop()
    }

    /// One page has the list, with the row marked, and what is opened; its close link is the list's own address.
    @Test
    func showsBothOnOnePage() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let ann = try await BrowserSession(harness.people.ann, harness)
        for (list, key, row) in [
            ("/library/funds/%fund%", "f%file%", "file-%file%"),
            ("/library/funds/%fund%/mail", "m%email%", "email-%email%"),
            ("/library/funds/%fund%/notes", "n%note%", "note-%note%"),
        ] {
            let (list, row) = (things.fill(list), things.fill(row))
            let page = try await ann.get(things.fill("\(list)?open=\(key)"), harness)
            #expect(page.status == 200)
            #expect(page.text.contains(#"<li class="row" data-key="\#(row)""#), "\(row)")
            #expect(page.text.matches(of: /class="name" href="[^"]*" aria-current="true"/).count == 1, "\(row)")
            #expect(page.text.contains(#"data-detail="\#(row)""#) && page.text.contains("detail.css"))
            #expect(page.text.contains(#"<a class="ib shut" href="\#(list)""#), "\(row)")
            let alone = try await ann.get(things.fill("\(list)?open=\(key)&part=detail"), harness)
            #expect(alone.text.contains(#"data-detail="\#(row)""#) && !alone.text.contains("class=\"row\""))
            #expect(alone.text.contains(#"<meta name="reader" content="\#(harness.people.ann.id)">"#))
            #expect(alone.text.utf8.count < page.text.utf8.count / 2, "\(alone.text.utf8.count)")
            #expect(alone["content-security-policy"] == PagePolicy.pages)
            let without = try await ann.get(list, harness).text
            #expect(!without.contains("data-detail") && !without.contains("detail.css"))
        }
        try await harness.stop()
    }

    /// Items of another person, deleted ones, and those that lists of a kind do not hold answer as if there were none.
    @Test
    func refusesWhatIsNotThere() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let bea = try await BrowserSession(harness.people.bea, harness)
        let own = try await harness.store.library.addFund("Of Bea", of: harness.people.bea.id).id
        for part in ["", "&part=detail"] {
            for path in ["/library/funds/\(own)", "/library/latest", "/library/search"] {
                let answer = try await bea.get(things.fill("\(path)?open=f%file%\(part)"), harness)
                #expect(answer.status == 404 && !answer.text.contains("data-detail"), "\(path)\(part)")
            }
            for key in ["m%email%", "n%note%", "x1", "f0", "f"] {
                let answer = try await ann.get(things.fill("/library/funds/%fund%?open=\(key)\(part)"), harness)
                #expect(answer.status == 404, "\(key)\(part)")
            }
            for list in ["/library/latest", "/library/search"] {
                for key in ["f%file%", "m%email%", "n%note%"] {
                    #expect(try await ann.get(things.fill("\(list)?open=\(key)\(part)"), harness).status == 200)
                }
            }
        }
        _ = try await ann.post("/library/delete", things.fill("item-file-%file%=1"), harness)
        #expect(try await ann.get(things.fill("/library/funds/%fund%?open=f%file%"), harness).status == 404)
        try await harness.stop()
    }

    /// Items of all kinds stand beside the favourites, but for funds, which have pages of their own.
    @Test
    func opensBesideTheFavourites() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let (ann, list) = (try await BrowserSession(harness.people.ann, harness), "/library/favourites")
        for item in ["file/%file%", "email/%email%", "note/%note%", "fund/%fund%"] {
            _ = try await ann.post(things.fill("/library/items/\(item)/favourite"), "on=1", harness)
        }
        let page = try await ann.get(list, harness).text
        #expect(page.contains(things.fill(#"href="/library/funds/%fund%"#)))
        for (key, row) in [("f%file%", "file-%file%"), ("m%email%", "email-%email%"), ("n%note%", "note-%note%")] {
            let (address, row) = (things.fill("\(list)?open=\(key)"), things.fill(row))
            #expect(page.contains(#"href="\#(address)""#) && page.contains(#"data-item="\#(row)""#), "\(row)")
            let opened = try await ann.get(address, harness)
            #expect(opened.status == 200 && opened.text.contains(#"data-detail="\#(row)""#))
            #expect(opened.text.matches(of: /class="name" href="[^"]*" aria-current="true"/).count == 1, "\(row)")
            #expect(opened.text.contains(#"<a class="ib shut" href="\#(list)""#))
        }
        // By kind, the file first; a fund is passed over.
        let mail = try await ann.get(things.fill("\(list)?open=m%email%"), harness).text
        #expect(mail.contains(things.fill(#"href="\#(list)?open=f%file%" rel="prev""#)))
        #expect(mail.contains(#"rel="next""#))
        let file = try await ann.get(things.fill("\(list)?open=f%file%"), harness).text
        #expect(!file.contains(#"rel="prev""#) && file.contains(#"rel="next""#))
        try await harness.stop()
    }

    /// A deleted item is shown in the trash, with nothing to be done but to restore it.
    @Test
    func isOnlyRestoredInTheTrash() async throws {
        let harness = try await ServerHarness()
        let things = try await TestItems(harness)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let bea = try await BrowserSession(harness.people.bea, harness)
        // Its items are filled in by addresses that have `/trash/` in them.
        func filled(_ text: String) -> String { String(things.fill("/trash/ " + text).dropFirst(8)) }
        for (list, key, row) in [
            ("/library/trash", "f%file%", "file-%file%"), ("/library/trash?of=mail", "m%email%", "email-%email%"),
            ("/library/trash?of=mail", "n%note%", "note-%note%"),
        ] {
            let (row, mark) = (filled(row), list.contains("?") ? "&" : "?")
            let address = filled("\(list)\(mark)open=\(key)")
            #expect(
                try await ann.get(list, harness).text.contains(
                    #"<a class="name" href="\#(address.replacing("&", with: "&amp;"))""#), "\(row)")
            let page = try await ann.get(address, harness)
            #expect(page.status == 200 && page.text.contains(#"data-detail="\#(row)""#), "\(row)")
            #expect(page.text.matches(of: /class="name" href="[^"]*" aria-current="true"/).count == 1, "\(row)")
            let alone = try await ann.get("\(address)&part=detail", harness).text
            #expect(alone.contains(#"action="/library/restore""#) && alone.contains(#"name="item-\#(row)""#))
            for act in ["/favourite", "/library/move", "/library/delete", "/library/items/", "download", "textarea"] {
                #expect(!alone.contains(act), "\(row) \(act)")
            }
            #expect(try await bea.get(address, harness).status == 404)
            let back = list.replacing("?", with: "%3F").replacing("=", with: "%3D")
            let answer = try await ann.post("/library/restore", "item-\(row)=1&back=\(back)", harness)
            #expect(answer["location"]?.hasPrefix("\(list)\(mark)done=restored") == true)
            #expect(try await ann.get(address, harness).status == 404)
        }
        // A file that is not deleted stands in no trash.
        let there = try await ann.get("/library/trash?open=" + things.fill("f%file%"), harness)
        #expect(there.status == 404)
        try await harness.stop()
    }

    /// Rows of Latest and of a search have the menu of what they stand for.
    @Test
    func rowsElsewhereHaveTheMenu() async throws {
        let shelf = try await PageListTests.Shelf("Menu")
        let file = try await shelf.put("menu <1>.txt")
        _ = try await shelf.library.addFolder("menu folder", in: shelf.top, of: shelf.ann)
        try await shelf.library.setFavourite(true, .file(file.id), of: shelf.ann)
        func items(_ page: RawHTTPResponse) -> [String] {
            PageListTests.addresses(/<a class="more" href="[^"]*" data-item="([^"]*)"/, in: page)
        }
        let latest = try await shelf.page("/library/latest")
        #expect(items(latest).sorted() == ["email-\(shelf.harness.people.email)", "file-\(file.id)"])
        #expect(latest.text.matches(of: /aria-pressed="true"/).count == 1)
        while try await shelf.harness.store.maintenance.index.indexPending() > 0 {}
        let found = try await shelf.page("/library/search?q=menu")
        #expect(items(found).count == 2 && items(found).contains("file-\(file.id)"))
        // A folder is no favourite.
        #expect(found.text.matches(of: /class="star"/).count == 1 && found.text.contains(#"aria-pressed="true""#))
        #expect(found.text.contains("menu &lt;1&gt;</span><span>.txt</span>"))
        // Files that are one row have no menu together.
        try await shelf.put("menu 2.txt")
        #expect(items(try await shelf.page("/library/latest")) == ["email-\(shelf.harness.people.email)"])
        try await shelf.harness.stop()
    }

    /// Below a model that is apart no name of the list around it is found.
    @Test
    func regionsHaveNoNamesOfTheList() throws {
        let sources = ["page": Array("{{#a}}{{name}}{{#list}}seen{{/list}}{{/a}}".utf8)]
        let template = try PageTemplate(named: "page", of: sources)
        let inner: PageModel = ["name": "x"]
        func text(_ inner: PageModel) throws -> String {
            String(decoding: try template.render(["list": true, "a": inner], in: .en), as: UTF8.self)
        }
        #expect(try text(inner) == "xseen" && text(inner.apart) == "x")
    }

    /// Mail is shown smaller where it was laid out for more room than there is.
    @Test(arguments: [
        ("<table width=\"640\">", 640), ("<td style=\"width: 720px\">", 720), ("<p style=\"max-width:600px\">", 600),
        ("<table width=\"100%\">", nil), ("<td width=\"40\">", nil), ("<td width=\"99999\">", nil), ("wide", nil),
    ])
    func knowsTheWidthOfMail(markup: String, width: Int?) {
        let mail = SanitizedMail(
            pieces: [.markup(markup), .picture(0)], blockedPictures: 0, hasDarkColours: false, isCut: false)
        #expect(MailDocument.width(of: mail) == width)
    }
}
