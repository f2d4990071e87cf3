import TestSupport
import Testing

@testable import FundCore

/// Addresses of feeds.
struct NewsAddressTests {
    @Test(arguments: [
        ("example.com", "https://example.com", 443),
        ("http://Example.com:8080/a?b#c", "http://example.com:8080/a?b", 8080),
        ("feed:example.com/x", "https://example.com/x", 443), ("feed://example.com/x", "https://example.com/x", 443),
        ("feed:http://example.com/x", "http://example.com/x", 80),
        ("example.com:8443/x", "https://example.com:8443/x", 8443),
        (" https://bücher.example/ü ", "https://xn--bcher-kva.example/%C3%BC", 443),
        ("http://example.com:080/x", "http://example.com/x", 80),
        ("https://example.com:443", "https://example.com", 443),
        ("http://example.com:443/x", "http://example.com:443/x", 443),
        ("http://2130706433/", "http://127.0.0.1/", 80), ("http://0x7f.1:8080/", "http://127.0.0.1:8080/", 8080),
        ("http://0177.0.0.1./a", "http://127.0.0.1/a", 80), ("http://[::FFFF:7f00:1]/", "http://127.0.0.1/", 80),
        ("http://[2001:DB8:0:0::1]:8080/", "http://[2001:db8::1]:8080/", 8080),
    ])
    func readsWhatPeopleWrite(text: String, address: String, port: Int) {
        #expect(NewsAddress(text)?.text == address)
        #expect(NewsAddress(text)?.port == port)
    }

    @Test(arguments: [
        "", "ftp://example.com", "file:///etc/passwd", "https://user:secret@example.com/", "https://example.com:22/",
        "http://example.com:25", "javascript:alert(1)", "https:///", "http://1.2.3.4.5/",
        "http://[1::2::3]/", "http://256.1.1.1/", "https://example.com:/99999",
    ])
    func refusesTheRest(text: String) {
        let address = NewsAddress(text)
        #expect(address == nil || address?.host == "example.com" && address?.port == 443, "\(text)")
        if text != "https://example.com:/99999" { #expect(address == nil, "\(text)") }
    }

    @Test(arguments: [
        ("b", "https://e.example/a/b"), ("/b", "https://e.example/b"), ("../b", "https://e.example/b"),
        ("../../../b?x=/../y", "https://e.example/b?x=/../y"), ("//f.example/b", "https://f.example/b"),
        ("?q", "https://e.example/a/c?q"), ("#x", "https://e.example/a/c"), ("http://g.example/", "http://g.example/"),
        ("./d/./e/", "https://e.example/a/d/e/"), ("", "https://e.example/a/c"),
    ])
    func resolvesReferences(reference: String, address: String) {
        #expect(NewsAddress("https://e.example/a/c")?.resolving(reference)?.text == address)
    }

    @Test
    func forbidsSitesInAnySpelling() {
        let sites = ForbiddenSites(["bad.example", "10.0.0.1", "2001:db8::1"])
        let hosts = ["bad.example", "www.bad.example", "10.1", "0xa000001", "64:ff9b::a00:1", "2001:db8:0::1"]
        for host in hosts { #expect(sites.contains(host: host), "\(host)") }
        for host in ["example", "notbad.example", "10.0.0.2", "2001:db8::2"] {
            #expect(!sites.contains(host: host), "\(host)")
        }
    }

    @Test(arguments: [
        ("https://u:p@e.example/a?b=@c", "https://e.example/a?b=@c"), ("http://u@x@e.example", "http://e.example"),
        ("https://e.example/@a", "https://e.example/@a"),
    ])
    func leavesOutTheNameBeforeAHost(text: String, address: String) {
        #expect(LinkTarget(text)?.withoutUserInfo == address)
    }

    @Test
    func writesOPML() {
        let feed = NewsFeed(
            id: .init(1), address: "https://e.example/?a&b", title: "A <b> \"c\"", health: NewsFeedHealth())
        let text = OPMLWriter.text(
            of: [
                NewsSubscription(id: .init(1), list: .own, feed: feed, folder: "F&G"),
                NewsSubscription(id: .init(2), list: .own, feed: feed, ownTitle: "Own\u{1}\n"),
            ], titled: "News")
        #expect(text.contains("<outline text=\"F&amp;G\">\n<outline type=\"rss\" text=\"A &lt;b&gt; &quot;c&quot;\""))
        #expect(text.contains("xmlUrl=\"https://e.example/?a&amp;b\"/>") && text.contains("text=\"Own \""))
    }

    @Test
    func filesAnArticleAsText() {
        let item = NewsItem(
            id: .init(1), feed: .init(1), feedTitle: "Mine", title: "A/B: c", link: "https://e.example/1",
            author: "Ann",
            excerpt: "", publishedAt: Timestamp(1_700_000_000), isRead: false, isStarred: false)
        let article = NewsArticle(
            item: item, html: "<p>One</p><p>Two &amp; three</p>",
            enclosures: [NewsEnclosure(address: "https://e.example/a.mp3")], source: "Feed")
        #expect(article.note.title == "A/B: c")
        #expect(
            article.note.content
                == "Feed · Ann · 2023-11-14\nhttps://e.example/1\n\nOne\n\nTwo & three\n\nhttps://e.example/a.mp3\n")
        #expect(article.textFile.name == "A B  c.txt" && article.textFile.content.hasPrefix("A/B: c\n\nFeed"))
    }
}
