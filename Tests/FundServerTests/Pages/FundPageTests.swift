import FundCore
import FundStore
import Ingest
import TestSupport
import Testing

@testable import FundServer

/// The address card of a fund, its management, and favourites.
struct FundPageTests {
    private func harness(mailAddress: String? = "funds+in@example.com") async throws -> ServerHarness {
        var options = ServerHarness.Options()
        options.mailAddress = mailAddress
        return try await ServerHarness(options)
    }

    // MARK: Address card

    @Test
    func cardBeginsAMail() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let id = harness.people.fund.id
        let page = try await ann.get("/library/funds/\(id)/card", harness)
        #expect(page.status == 200)
        #expect(page.text.contains("<bdi>[Fund1] </bdi>"))
        let mailto = "mailto:funds%2Bin@example.com?subject=%5BFund1%5D%20"
        #expect(page.text.contains("href=\"\(mailto)\""))
        #expect(page.text.contains("d=\"\(try QRCode(mailto).path)\""))
        #expect(page.text.contains("<bdi>funds+in@example.com</bdi>"))
        #expect(page["content-security-policy"] == PagePolicy.pages)
        try await harness.stop()
    }

    @Test
    func cardWithoutAMailboxSaysSo() async throws {
        let harness = try await harness(mailAddress: nil)
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.get("/library/funds/\(harness.people.fund.id)/card", harness)
        #expect(page.text.contains("href=\"mailto:?subject=%5BFund1%5D%20\""))
        #expect(page.text.contains(Words(language: .en)("card.noaddress")))
        try await harness.stop()
    }

    /// An empty fund shows how to fill it; one with files does not.
    @Test
    func emptyFundShowsTheCard() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let name = #"Q&A "q" <b> {{csrf}} 基金 100%"#
        let fund = try await harness.store.library.addFund(name, of: harness.people.ann.id)
        for tab in ["", "/mail", "/card"] {
            let page = try await ann.get("/library/funds/\(fund.id)\(tab)", harness)
            #expect(page.text.contains("class=\"qr\""), "\(tab)")
            #expect(!page.text.contains("<b> {{") && page.text.contains("&lt;b&gt; {{csrf}}"), "\(tab)")
            let subject = "?subject=%5BQ%26A%20%22q%22%20%3Cb%3E%20%7B%7Bcsrf%7D%7D%20%E5%9F%BA"
            #expect(page.text.contains(subject), "\(tab)")
        }
        let full = try await ann.get("/library/funds/\(harness.people.fund.id)", harness)
        #expect(full.status == 200 && !full.text.contains("class=\"qr\""))
        // The longest name that there can be still fits.
        let long = try await harness.store.library.addFund(String(repeating: "基", count: 85), of: harness.people.ann.id)
        #expect(try await ann.get("/library/funds/\(long.id)/card", harness).text.contains("class=\"qr\""))
        try await harness.stop()
    }

    /// The bar shows address and subject, in a line of their own where it is narrow.
    @Test
    func barNamesAddressAndSubject() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        for tab in ["", "/all", "/mail", "/notes"] {
            let page = try await ann.get("/library/funds/\(harness.people.fund.id)\(tab)", harness).text
            let chip = #"<span class="to">funds+in@example.com</span><span class="tag"><bdi>Fund1</bdi></span>"#
            #expect(page.ranges(of: chip).count == 2, "\(tab)")
        }
        try await harness.stop()
    }

    // MARK: Who sees it

    /// The page says who sees the fund, and that is so: an administrator sees its name and how much is in it.
    @Test
    func saysWhoSeesIt() async throws {
        let harness = try await harness()
        let people = harness.people
        let ann = try await BrowserSession(people.ann, harness)
        let root = try await BrowserSession(people.root, harness)
        let path = "/library/funds/\(people.fund.id)"
        #expect(try await ann.get(path, harness).text.contains("href=\"\(path)/manage#who\""))
        let page = try await ann.get("\(path)/manage", harness).text
        for key in ["who.owner", "who.office", "who.machine"] {
            #expect(page.contains(Words(language: .en)(key)), "\(key)")
        }
        for tab in ["", "/all", "/mail", "/notes", "/manage", "/card", "/zip"] {
            #expect(try await root.get(path + tab, harness).status == 404, "\(tab)")
        }
        let files = try await harness.store.library.files(with: [people.parts[0].digest], of: people.ann.id)
        let file = try #require(files.first)
        for item in ["files/\(file.id)", "files/\(file.id)/content", "emails/\(people.email)"] {
            #expect(try await root.get("/library/\(item)", harness).status == 404, "\(item)")
        }
        let office = try await root.get("/office/funds/\(people.fund.id)", harness)
        #expect(office.status == 200 && office.text.contains("<bdi>Fund1</bdi>") && !office.text.contains(file.name))
        try await harness.stop()
    }

    // MARK: Aliases, archive

    @Test
    func aliasesComeAndGo() async throws {
        let harness = try await harness()
        let (library, user) = (harness.store.library, harness.people.ann)
        let ann = try await BrowserSession(user, harness)
        let (id, path) = (harness.people.fund.id, "/library/funds/\(harness.people.fund.id)")
        let added = try await ann.post("\(path)/aliases", "alias=Q%26A+%22q%22", harness)
        #expect(added["location"] == "\(path)/manage?done=alias-added")
        let known = try await ann.post("\(path)/aliases", "alias=Q%26A+%22q%22", harness)
        #expect(known["location"] == "\(path)/manage?done=alias-known")
        #expect(try await library.fund(id, of: user.id).aliases == [#"Q&A "q""#])
        let page = try await ann.get("\(path)/manage", harness)
        #expect(page.text.contains(#"name="alias" value="Q&amp;A &quot;q&quot;""#))
        // Another fund's name, and a name that is none.
        _ = try await library.addFund("Second", of: user.id)
        let taken = try await ann.post("\(path)/aliases", "alias=second", harness)
        #expect(taken.status == 409 && taken.text.contains("value=\"second\""))
        for (alias, problem) in [("%E2%80%8B", "name-invisible"), ("%5Bx%5D", "name-brackets"), ("", "name-invisible")]
        {
            let refused = try await ann.post(
                "\(path)/aliases", "alias=\(alias)", harness, fields: ["Accept-Language": "zh"])
            let words = Words(language: .zh)("problem.\(problem)")
            #expect(refused.status == 400 && refused.text.contains(words), "\(alias)")
        }
        let removed = try await ann.post("\(path)/aliases/remove", "alias=Q%26A+%22q%22", harness)
        #expect(removed["location"] == "\(path)/manage?done=alias-removed")
        let gone = try await ann.post("\(path)/aliases/remove", "alias=Q%26A+%22q%22", harness)
        #expect(gone["location"] == "\(path)/manage?done=alias-gone")
        #expect(try await library.fund(id, of: user.id).aliases.isEmpty)
        let renamed = try await ann.post("/library/items/fund/\(id)/name", "name=Second", harness)
        #expect(renamed.status == 409 && renamed.text.contains("name-problem"))
        // The former name is an alias, until another fund is given it: both are said.
        let former = try await library.fund(id, of: user.id).name
        let typed = PercentCoding.encoded(former) { ASCII.isAlphanumeric($0) }
        let other = try await ann.post("/library/items/fund/\(id)/name", "name=Third", harness)
        #expect(other["location"]?.hasSuffix("done=fund-renamed") == true)
        #expect(try await library.fund(id, of: user.id).aliases == [former])
        let again = try await ann.post("/library/funds", "name=\(typed)", harness)
        #expect(again["location"]?.hasSuffix("done=fund-took-name") == true)
        let took = try await ann.get(try #require(again["location"]), harness)
        #expect(took.text.contains("Another fund had this name before"))
        #expect(try await library.fund(id, of: user.id).aliases.isEmpty)
        try await harness.stop()
    }

    @Test
    func archiveCanBeUndone() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let path = "/library/funds/\(harness.people.fund.id)"
        let answer = try await ann.post("\(path)/archive", "", harness)
        let home = try await ann.get(try #require(answer["location"]), harness)
        #expect(home.text.contains("name=\"item-fund-\(harness.people.fund.id)\""))
        for gone in ["", "/manage", "/card", "/mail"] {
            #expect(try await ann.get(path + gone, harness).status == 404, "\(gone)")
        }
        for act in ["aliases", "aliases/remove", "archive"] {
            #expect(try await ann.post("\(path)/\(act)", "alias=x", harness).status == 404, "\(act)")
        }
        // Archived and deleted are two things: each stands on its own page.
        let archived = try await ann.get("/library/archive", harness)
        #expect(archived.text.contains("name=\"item-fund-\(harness.people.fund.id)\""))
        let trash = try await ann.get("/library/trash", harness)
        #expect(!trash.text.contains("item-fund-") && trash.text.contains(Words(language: .en)("trash.noitems")))
        let undone = try await ann.post("/library/restore", "item-fund-\(harness.people.fund.id)=1", harness)
        #expect(undone.status == 303)
        #expect(try await ann.get(path, harness).status == 200)
        try await harness.stop()
    }

    // MARK: Favourites

    @Test
    func starsWorkAsFormsAndForScripts() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let things = try await TestItems(harness)
        let back = "back=%2Flibrary%2Ftrash"
        let form = try await ann.post(things.fill("/library/items/file/%file%/favourite"), "on=1&\(back)", harness)
        #expect(form.status == 303 && form["location"] == "/library/trash")
        for kind in ["email", "note", "fund"] {
            let answer = try await ann.post(
                things.fill("/library/items/\(kind)/%\(kind)%/favourite"), "on=1", harness,
                fields: ["Accept": "application/json"])
            #expect(answer.status == 204, "\(kind)")
        }
        let folder = try await ann.post(things.fill("/library/items/folder/%folder%/favourite"), "on=1", harness)
        #expect(folder.status == 404)
        let (home, list) = (try await ann.get("/library", harness), try await ann.get("/library/favourites", harness))
        for kind in ["file", "email", "note", "fund"] {
            let address = "/library/\(kind)s/%\(kind)%" + (kind == "fund" ? "/all" : "")
            #expect(home.text.contains(things.fill("href=\"\(address)\"")), "\(kind)")
            #expect(list.text.contains(things.fill("data-key=\"\(kind)-%\(kind)%\"")), "\(kind)")
        }
        #expect(try await ann.get("/library/favourites", harness).text.contains("aria-pressed=\"true\""))
        let bea = try await BrowserSession(harness.people.bea, harness)
        #expect(!(try await bea.get("/library/favourites", harness).text.contains("class=\"star\"")))
        _ = try await ann.post("/library/delete", things.fill("item-file-%file%=1"), harness)
        let without = try await ann.get("/library/favourites", harness)
        #expect(!without.text.contains(things.fill("data-key=\"file-%file%\"")))
        _ = try await ann.post("/library/restore", things.fill("item-file-%file%=1"), harness)
        let again = try await ann.get("/library/favourites", harness)
        #expect(again.text.contains(things.fill("data-key=\"file-%file%\"")))
        _ = try await ann.post(things.fill("/library/items/file/%file%/favourite"), "on=0", harness)
        let unmarked = try await ann.get("/library/favourites", harness)
        #expect(!unmarked.text.contains(things.fill("data-key=\"file-%file%\"")))
        try await harness.stop()
    }

    // MARK: App passwords

    @Test
    func appPasswordIsShownOnceWithItsLines() async throws {
        let harness = try await harness()
        let ann = try await BrowserSession(harness.people.ann, harness)
        let page = try await ann.post("/account/app-passwords", "label=%3Cb%3EiPad", harness)
        #expect(page.status == 200 && page["cache-control"] == "no-store")
        #expect(page.text.contains("&lt;b&gt;iPad") && page.text.contains("class=\"qr\""))
        #expect(page.text.contains("http://127.0.0.1:\(harness.port)/dav/"))
        #expect(page.text.contains(#"\\127.0.0.1@\#(harness.port)\DavWWWRoot\dav"#))
        #expect(page.text.contains("user=&#39;ann@example.com&#39;"))
        let later = try await ann.get("/account", harness)
        #expect(later.text.contains("&lt;b&gt;iPad") && !later.text.contains("class=\"qr\""))
        try await harness.stop()
    }
}
