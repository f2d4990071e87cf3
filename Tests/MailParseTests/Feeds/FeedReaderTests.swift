import FundCore
import TestSupport
import Testing

@testable import MailParse

extension FeedReading {
    /// The feed of a text.
    static func feed(_ text: String, at address: String? = "https://e.example/dir/feed") -> ParsedFeed? {
        if case .feed(let feed) = FeedReader.read(FeedDocument(bytes: Array(text.utf8), address: address)) {
            feed
        } else {
            nil
        }
    }
}

/// Feeds of each format, and what programs write instead.
struct FeedReaderTests {
    @Test
    func readsRSS2() throws {
        let feed = try #require(
            FeedReading.feed(
                """
                <?xml version="1.0"?><!DOCTYPE rss [<!ENTITY x SYSTEM "file:///etc/passwd">]>
                <rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
                    xmlns:d="http://purl.org/dc/elements/1.1/"><channel>
                <title>Caf&eacute; &amp; D&D</title><link>https://e.example/</link><ttl>120</ttl>
                <item><title>&lt;b&gt;One&lt;/b&gt; &x;</title><link> /a?b&amp;c </link>
                <guid isPermaLink="false">id-1</guid><pubDate>Tue, 14 Nov 2023 22:13:20 GMT</pubDate>
                <d:creator>Ann</d:creator><description>short</description>
                <content:encoded><![CDATA[<p>Long <a href="b.html">text</a> <img src='/i.png'></p>]]></content:encoded>
                <enclosure url="https://e.example/a.mp3" length="123" type="audio/MPEG"/></item>
                <item><title>Two</title><guid>https://e.example/two</guid><author>b@e.example (Bea)</author></item>
                </channel></rss>
                """))
        #expect(feed.title == "Café & D&D" && feed.siteAddress == "https://e.example/")
        #expect(feed.minInterval == .seconds(7200))
        let item = try #require(feed.items.first)
        #expect(item.title == "One &x;" && item.link == "https://e.example/a?b&c" && item.author == "Ann")
        #expect(item.key == "guid\nid-1" && item.publishedAt == Timestamp(1_700_000_000))
        #expect(
            item.html
                == "<p>Long <a href=\"https://e.example/dir/b.html\">text</a> <img src='https://e.example/i.png'></p>")
        #expect(
            item.enclosures == [
                NewsEnclosure(address: "https://e.example/a.mp3", contentType: "audio/mpeg", size: 123)
            ])
        #expect(feed.items.last?.link == "https://e.example/two" && feed.items.last?.author == "Bea")
    }

    @Test
    func readsAtom() throws {
        let feed = try #require(
            FeedReading.feed(
                """
                <feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.example/x/">
                <title type="text">A &lt;b></title>
                <link rel="self" href="feed.xml"/><link href="home"/>
                <entry><id>urn:1</id><title type="html">&amp;lt;i&amp;gt; &lt;b&gt;bold&lt;/b&gt;</title>
                <link rel="alternate" type="text/html" href="e1"/>
                <link rel="enclosure" href="f.pdf" length="9" type="application/pdf"/>
                <author><name>Ann</name></author><updated>2023-11-14T23:13:20+01:00</updated>
                <content type="xhtml"><div
                xmlns="http://www.w3.org/1999/xhtml"><p>Hi<br/>you &amp; me</p></div></content>
                </entry></feed>
                """))
        #expect(feed.title == "A <b>" && feed.siteAddress == "http://b.example/x/home")
        let item = try #require(feed.items.first)
        #expect(item.title == "<i> bold" && item.link == "http://b.example/x/e1" && item.key == "guid\nurn:1")
        #expect(item.html == "<div><p>Hi<br>you &amp; me</p></div>" && item.author == "Ann")
        #expect(item.publishedAt == Timestamp(1_700_000_000))
        #expect(item.enclosures.map(\.address) == ["http://b.example/x/f.pdf"])
    }

    @Test
    func readsRSS1() throws {
        let feed = try #require(
            FeedReading.feed(
                """
                <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
                    xmlns:dc="http://purl.org/dc/elements/1.1/">
                <channel rdf:about="x"><title>RDF</title><link>http://e.example/</link></channel>
                <item rdf:about="http://e.example/1"><title>One</title><link>http://e.example/1</link>
                <dc:date>2003-12-31T10:14:55Z</dc:date></item></rdf:RDF>
                """))
        #expect(feed.title == "RDF" && feed.items.count == 1)
        #expect(
            feed.items[0].key == "guid\nhttp://e.example/1" && feed.items[0].publishedAt == Timestamp(1_072_865_695))
    }

    @Test
    func readsJSONFeed() throws {
        let feed = try #require(
            FeedReading.feed(
                #"""
                {"version": "https://jsonfeed.org/version/1.1", "title": "J \u00e9 \ud83d\ude00", "home_page_url": "/",
                 "items": [{"id": 7, "url": "a", "title": "T", "content_html": "<p>x", "date_published":
                 "2023-11-14T22:13:20Z", "authors": [{"name": "A"}, {"name": "B"}],
                 "attachments": [{"url": "https://e.example/f.mp3", "mime_type": "audio/mpeg", "size_in_bytes": 5}]},
                 {"id": "8", "content_text": "a<b\nc"}]}
                """#))
        #expect(feed.title == "J é 😀" && feed.siteAddress == "https://e.example/")
        #expect(feed.items[0].key == "guid\n7" && feed.items[0].link == "https://e.example/dir/a")
        #expect(feed.items[0].author == "A, B" && feed.items[0].publishedAt == Timestamp(1_700_000_000))
        #expect(feed.items[0].enclosures.first?.size == 5 && feed.items[1].html == "a&lt;b<br>\nc")
        for text in ["{}", "{\"items\": 1}", "{\"items\": [", String(repeating: "{\"items\":[", count: 100_000)] {
            #expect(FeedReading.feed(text) == nil)
        }
    }

    /// Each of these is read although no XML parser would take it.
    @Test(arguments: [
        "<rss><channel><item><title>T</title></item></channel>", "<rss><channel><item><title>T</item></rss>",
        "<rss><channel><item><title>T</title><item></channel></rss>", "junk<rss><channel><item><title>T</title>",
        "<RSS><Channel><Item><Title>T</TITLE></Item></Channel></RSS>",
        "\u{FEFF}\n\n<rss><channel><item><title>T</title>",
        "<rss a=b a='c' d><channel><item><title x=\"1>2\">T</title></item></channel></rss>",
        "<rss><channel><item></foo><title>\u{1}T</title></item></channel></rss>",
        "<!-- - -- --><?xml?><rss><channel><item><title><![CDATA[T]]></title></item>",
        "<channel><item><title>T</title></item></channel>", "<rss><item><title>T</title></item></rss>",
    ])
    func toleratesFaults(text: String) {
        #expect(FeedReading.feed(text)?.items.first?.title == "T", "\(text)")
    }

    @Test
    func identityIsUnique() {
        func keys(_ items: String) -> [String] {
            FeedReading.feed("<rss><channel>\(items)</channel></rss>")?.items.map { String($0.key.prefix(4)) } ?? []
        }
        let (guid, link) = ("<guid isPermaLink='false'>g</guid>", "<link>https://e.example/1</link>")
        let other = "<link>https://e.example/2</link>"
        #expect(keys("<item>\(guid)\(link)</item>") == ["guid"])
        #expect(keys("<item>\(guid)\(link)</item><item>\(guid)\(other)</item>") == ["link", "link"])
        #expect(keys("<item>\(link)<title>1</title></item><item>\(link)<title>2</title></item>") == ["text", "text"])
        #expect(keys("<item><title>1</title></item><item><title>1</title></item>") == ["text"])
    }

    @Test
    func findsFeedsOfAPage() {
        let page = """
            <!doctype html><html><head><base href="/base/"><title>x</title>
            <link rel="stylesheet" type="text/css" href="s.css"><LINK REL='alternate home' TYPE='application/rss+xml'
            title="News &amp; more" href="feed"><link rel=alternate type="application/atom+xml" href="//f.example/a">
            <link rel="alternate" type="text/html" hreflang="de" href="/de">
            <link rel="alternate" type="application/rss+xml" href="ftp://x.example/"></head><body>
            """
        let reading = FeedReader.read(FeedDocument(bytes: Array(page.utf8), address: "https://e.example/"))
        guard case .page(let feeds) = reading else {
            Issue.record("no page: \(reading)")
            return
        }
        #expect(feeds.map(\.address.text) == ["https://e.example/base/feed", "https://f.example/a"])
        #expect(feeds.first?.title == "News & more")
        #expect(FeedReader.read(FeedDocument(bytes: Array("just text".utf8))) == .other)
        #expect(FeedReader.read(FeedDocument(bytes: [])) == .other)
    }

    @Test
    func readsOPML() {
        let opml = """
            <opml version="1.0"><body><outline text="Top" xmlUrl="https://a.example/f"/><outline text="F &amp; G">
            <outline title="B" text="b" xmlUrl="https://b.example/f"/><outline text="H"><outline xmlUrl="c.example"/>
            </outline></outline></body></opml>
            """
        let expected = [
            FeedOutline(address: "https://a.example/f", title: "Top"),
            FeedOutline(address: "https://b.example/f", title: "B", folder: "F & G"),
            FeedOutline(address: "c.example", folder: "H"),
        ]
        #expect(FeedReader.read(FeedDocument(bytes: Array(opml.utf8))) == .outlines(expected))
    }

    @Test
    func decodesCharsets() {
        let text = "<rss><channel><title>é “x” Ж</title></channel></rss>"
        let windows = [UInt8]("<rss><channel><title>".utf8) + [0xE9, 0x93] + Array("</title></channel></rss>".utf8)
        let declared = Array("<?xml version='1.0' encoding='ISO-8859-1'?>".utf8) + windows
        func title(_ bytes: [UInt8], _ type: String? = nil) -> String? {
            if case .feed(let feed) = FeedReader.read(FeedDocument(bytes: bytes, contentType: type)) {
                feed.title
            } else {
                nil
            }
        }
        let little: [UInt8] = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        let big: [UInt8] = text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
        let wide: [UInt8] = text.unicodeScalars.flatMap { [0, 0, UInt8($0.value >> 8), UInt8($0.value & 0xFF)] }
        let utf8 = Array(text.utf8)
        let forms: [[UInt8]] = [utf8, [0xEF, 0xBB, 0xBF] + utf8, [0xFF, 0xFE] + little, big, wide]
        for bytes in forms { #expect(title(bytes) == "é “x” Ж") }
        #expect(title(declared) == "é“" && title(windows, "text/xml; charset=\"latin1\"") == "é“")
        #expect(title(windows) == "é“")
    }

    @Test(arguments: [
        ("a &lt; b", "a < b"), ("1 &lt;2", "1 <2"), ("&lt;b&gt;x&lt;/b&gt;y", "xy"), ("x&lt;br&gt;y", "x y"),
        ("&lt;script&gt;alert(1)&lt;/script&gt;x", "x"), ("x&lt;style&gt;p{}", "x"),
        ("AT&amp;T &amp;amp; D&D", "AT&T & D&D"),
        (" a\n\tb ", "a b"), ("&lt;i", "<i"), ("&amp;#8217;", "’"), ("&#x93;x&#148;", "“x”"), ("&amp;nope;", "&nope;"),
        ("&CounterClockwiseContourIntegral;", "∳"), ("x&#0;&#x110000;y", "xy"), ("a\u{202E}b", "ab"),
    ])
    func titlesAreVisibleText(markup: String, text: String) {
        let feed = FeedReading.feed("<rss><channel><item><title>\(markup)</title></item></channel></rss>")
        #expect(feed?.items.first?.title == text, "\(markup)")
    }

    /// Bytes of any kind give an outcome, and time grows with their length only.
    @Test
    func survivesHostileDocuments() {
        let deep = String(repeating: "<a>", count: 200_000)
        let bomb = "<!DOCTYPE x [" + (0..<100).map { "<!ENTITY e\($0) \"&e\($0 + 1);&e\($0 + 1);\">" }.joined() + "]>"
        for text in [
            deep, "<rss>" + deep + "</rss>", bomb + "<rss><channel><title>&e0;</title></channel></rss>",
            "<rss" + String(repeating: " a", count: 100_000), String(repeating: "<![CDATA[", count: 50_000),
            "<rss><channel>" + String(repeating: "<item><guid>x", count: 20_000),
            String(repeating: "&", count: 200_000),
            String(repeating: "<item a='", count: 50_000), String(repeating: "[", count: 200_000),
        ] {
            _ = FeedReader.read(FeedDocument(bytes: Array(text.utf8), address: "https://e.example/"))
        }
        #expect(FeedReading.feed(bomb + "<rss><channel><title>&e0;</title></channel></rss>")?.title == "&e0;")
        var random = SeededGenerator(seed: 39)
        let words = [
            "<rss>", "<channel>", "<item>", "</item>", "<title>", "<![CDATA[", "]]>", "&lt;", "&#x", ";", "\"", "='",
            "<!--",
            "-->", "<entry xml:base='", "//", "\u{FFFD}", "{", "}", "\"items\":[", "]", "<link href=", ">", "é",
            "<outline",
        ]
        for _ in 0..<2000 {
            let text = (0..<Int.random(in: 1...60, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            var bytes = Array(text.joined().utf8)
            if Bool.random(using: &random), !bytes.isEmpty {
                bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = FeedReader.read(FeedDocument(bytes: bytes, address: "https://e.example/"))
        }
    }
}
