import FundCore
import FundStore
import HTTPTypes
import TestSupport
import Testing

@testable import FundServer

/// The pages of news.
struct NewsPageTests {
    private static let hostile = ParsedFeed(
        title: "Feed <script>alert(1)</script>",
        items: [
            ParsedFeedItem(
                key: "2", title: "<img src=x onerror=alert(1)>", link: "https://news.example/2", author: "\" x=\"",
                publishedAt: 1_700_000_100, html: "<script>alert(1)</script><p>Second</p>",
                enclosures: [NewsEnclosure(address: "https://news.example/a.mp3", contentType: "audio/mpeg", size: 9)]),
            ParsedFeedItem(
                key: "1", title: "", publishedAt: 1_700_000_000, html: "<p>First words of an item</p>"),
        ])

    private struct Place {
        let harness: ServerHarness
        let ann: BrowserSession
        let sample: SampleNews

        init(_ parsed: ParsedFeed = NewsPageTests.hostile) async throws {
            harness = try await ServerHarness()
            ann = try await BrowserSession(harness.people.ann, harness)
            sample = try await harness.store.news.addSample(
                "https://news.example/feed", parsed, of: harness.people.ann.id)
        }

        var news: SQLNewsStore { harness.store.news }
        var user: User.ID { harness.people.ann.id }

        func item(_ index: Int) async throws -> NewsItem {
            try await news.article(sample.items[index], of: user).item
        }
    }

    @Test func showsItemsAsText() async throws {
        let place = try await Place()
        let page = try await place.ann.get("/library/news", place.harness)
        #expect(page.status == 200)
        #expect(page.text.contains("&lt;img src=x onerror=alert(1)&gt;") && !page.text.contains("<img src=x"))
        #expect(page.text.contains("First words of an item…"))
        let opened = try await place.ann.get("/library/news?open=w\(place.sample.items[0])", place.harness)
        #expect(opened.status == 200 && opened.text.contains("Second"))
        #expect(!opened.text.contains("<script>alert") && opened.text.contains("a.mp3"))
        try await place.harness.stop()
    }

    /// A look at the head of a page reads nothing.
    @Test func opensAndReads() async throws {
        let place = try await Place()
        let address = "/library/news?open=w\(place.sample.items[0])"
        _ = try await place.harness.send("HEAD", address, fields: ["Cookie": place.ann.cookie])
        #expect(try await !place.item(0).isRead)
        let alone = try await place.ann.get(address + "&part=detail", place.harness)
        #expect(alone.status == 200 && alone.text.contains("data-detail=\"news-"))
        #expect(try await place.item(0).isRead)
        #expect(try await !place.item(1).isRead)
        let unread = try await place.ann.get("/library/news?state=unread", place.harness)
        #expect(unread.text.contains("data-key=\"news-\(place.sample.items[1])\""))
        #expect(!unread.text.contains("data-key=\"news-\(place.sample.items[0])\""))
        for other in ["f1", "w0", "wx", "w99999"] {
            let answer = try await place.ann.get("/library/news?open=\(other)", place.harness)
            #expect(answer.status == 404, "\(other)")
        }
        try await place.harness.stop()
    }

    @Test func marksItems() async throws {
        let place = try await Place()
        let item = "/library/news/items/\(place.sample.items[0])"
        let starred = try await place.ann.post(
            "\(item)/star", "on=1", place.harness, fields: ["Accept": "application/json"])
        #expect(starred.status == 204)
        #expect(try await place.item(0).isStarred)
        let latest = place.sample.items.map(\.rawValue).max() ?? 0
        #expect(try await place.ann.post("/library/news/read", "upto=\(latest)", place.harness).status == 303)
        #expect(try await place.news.newsCounts(of: place.user).own == 0)
        #expect(try await place.ann.post("\(item)/unread", "", place.harness).status == 303)
        #expect(try await place.news.newsCounts(of: place.user).own == 1)
        let sidebar = try await place.ann.get("/library", place.harness)
        #expect(sidebar.text.contains("<span class=\"count hot\">1<span"))
        try await place.harness.stop()
    }

    /// An item as a note and as a file, each with its address and date; a second file of the name gets a number.
    @Test func keepsItemsInFunds() async throws {
        let place = try await Place()
        let (library, fund) = (place.harness.store.library, place.harness.people.fund.id)
        let path = "/library/news/items/\(place.sample.items[0])/keep"
        let note = try await place.ann.post(path, "as=note&fund=\(fund)", place.harness)
        #expect(note.status == 303 && note["location"]?.contains("kept=n") == true)
        let notes = try await library.notes(in: fund, since: nil, PageQuery(), of: place.user).notes
        #expect(notes.first?.text.content.contains("https://news.example/2") == true)
        #expect(notes.first?.text.content.contains("2023-11-14") == true)
        for _ in 0..<2 {
            #expect(try await place.ann.post(path, "as=file&fund=\(fund)", place.harness).status == 303)
        }
        let names = try await library.children(of: LibraryPlace(fund: fund), of: place.user).map(\.name)
        #expect(names.filter { $0.contains("onerror") }.count == 2)
        let shown = try await place.ann.get(note["location"] ?? "", place.harness)
        #expect(shown.text.contains("href=\"/library/notes/"))
        let foreign = place.harness.people.otherFund.id
        #expect(try await place.ann.post(path, "as=note&fund=\(foreign)", place.harness).status == 404)
        #expect(try await place.ann.post(path, "as=song&fund=\(fund)", place.harness).status == 400)
        try await place.harness.stop()
    }

    @Test func addsFeedsByAddress() async throws {
        let place = try await Place()
        let bad = try await place.ann.post("/library/news/feeds", "address=ftp%3A%2F%2Fx", place.harness)
        #expect(bad.status == 422 && bad.text.contains("no web address") && bad.text.contains("value=\"ftp://x\""))
        let good = try await place.ann.post("/library/news/feeds", "address=other.example%2Frss", place.harness)
        #expect(good.status == 303)
        let feeds = try await place.news.feeds(in: .own, of: place.user)
        #expect(feeds.contains { $0.feed.address == "https://other.example/rss" })
        try await place.news.setForbiddenHosts(["bad.example"], by: "test")
        let forbidden = try await place.ann.post("/library/news/feeds", "address=www.bad.example", place.harness)
        #expect(forbidden.status == 422 && forbidden.text.contains("do not allow"))
        let list = try await place.ann.get("/library/news/feeds.opml", place.harness)
        #expect(list.text.contains("xmlUrl=\"https://other.example/rss\""))
        try await place.harness.stop()
    }

    @Test func saysHowManyFeedsWereLeftOut() async throws {
        let place = try await Place()
        let page = try await place.ann.get("/library/news/feeds?done=feeds-imported-partly&left=17", place.harness)
        #expect(page.text.contains("the list is full: 17."))
        let other = try await place.ann.get("/library/news/feeds?done=feeds-imported-partly&left=x", place.harness)
        #expect(other.text.contains("has no room"))
        try await place.harness.stop()
    }

    /// A fund that has feeds has a tab for them, and its news are none of one's own.
    @Test func showsNewsOfFunds() async throws {
        let place = try await Place()
        let fund = place.harness.people.fund.id
        let tab = "href=\"/library/funds/\(fund)/news\""
        #expect(try await !place.ann.get("/library/funds/\(fund)/all", place.harness).text.contains(tab))
        let added = try await place.news.addSample("https://fund.example/feed", to: .fund(fund), of: place.user)
        #expect(try await place.ann.get("/library/funds/\(fund)/all", place.harness).text.contains(tab))
        let page = try await place.ann.get("/library/funds/\(fund)/news", place.harness)
        #expect(page.status == 200 && page.text.contains("data-key=\"news-\(added.items[0])\""))
        let own = try await place.ann.get("/library/news", place.harness)
        #expect(!own.text.contains("data-key=\"news-\(added.items[0])\""))
        try await place.harness.stop()
    }

    @Test func showsTheLatestThree() async throws {
        let items = (1...5).map {
            ParsedFeedItem(
                key: "\($0)", title: "Item \($0)", publishedAt: Timestamp(1_700_000_000 + Int64($0)), html: "")
        }
        let place = try await Place(ParsedFeed(title: "Five", items: items))
        let page = try await place.ann.get("/library/latest", place.harness).text
        for number in 3...5 { #expect(page.contains("Item \(number)")) }
        #expect(!page.contains("Item 2"))
        try await place.harness.stop()
    }

    @Test func offersFeedsAndForbidsHosts() async throws {
        let place = try await Place()
        let root = try await BrowserSession(place.harness.people.root, place.harness)
        let offered = try await root.post(
            "/office/news/offered", "address=https%3A%2F%2Fcompany.example%2Ffeed&name=Company", place.harness)
        #expect(offered.status == 303)
        let page = try await place.ann.get("/library/news/feeds", place.harness)
        #expect(page.text.contains("Company") && page.text.contains("value=\"https://company.example/feed\""))
        let taken = try await place.ann.post(
            "/library/news/feeds", "feed=https%3A%2F%2Fcompany.example%2Ffeed", place.harness)
        #expect(taken.status == 303)
        let bad = try await root.post("/office/news/forbidden", "hosts=no+host%21%2F", place.harness)
        #expect(bad.status == 422 && bad.text.contains("has the form example.com"))
        #expect(
            try await root.post("/office/news/forbidden", "hosts=a.example%0Ab.example", place.harness).status == 303)
        #expect(try await place.news.forbiddenHosts() == ["a.example", "b.example"])
        try await place.harness.stop()
    }
}
