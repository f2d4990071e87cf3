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

    /// Below a model that is apart no name of the list around it is found.
    @Test
    func regionsHaveNoNamesOfTheList() throws {
        let sources = ["page": Array("{{#a}}{{name}}{{#list}}seen{{/list}}{{/a}}".utf8)]
        let template = try PageTemplate(named: "page", of: sources)
        let inner: PageModel = ["name": "x"]
        func text(_ inner: PageModel) -> String {
            String(decoding: template.render(["list": true, "a": inner], in: .en), as: UTF8.self)
        }
        #expect(text(inner) == "xseen" && text(inner.apart) == "x")
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
