import FundCore
import Testing

@testable import MailParse

/// Documents that are made to take long: each takes a time that grows with its length only.
struct HostileFeedTests {
    /// The first part of a title is looked at, once, whatever elements it has and does not end.
    @Test(.timeLimit(.minutes(1)))
    func readsTitlesOnce() throws {
        let titles = [
            (String(repeating: "<style></style>", count: 1000), ""),
            (String(repeating: "<script>", count: 2000) + "x", ""),
            ("a<SCRIPT>x</Script >b", "ab"), ("a<style>x", "a"), ("1 < 2 <b", "1 < 2 <b"),
        ]
        for (html, line) in titles { #expect(FeedText.visibleLine(html) == line) }
        let tags = String(repeating: "<a", count: 8000)
        for _ in 0..<20 { #expect(FeedText.visibleLine(tags) == tags) }
        let items = String(
            repeating: "<item><title><![CDATA[\(titles[0].0)x]]></title></item>", count: 100)
        #expect(FeedReading.feed("<rss><channel>\(items)")?.items.map(\.title) == ["x"])
    }

    /// A base is as long as an address may be.
    @Test
    func takesNoLongBases() throws {
        func link(_ base: String, _ inner: String = "") throws -> String? {
            let text = "<feed xml:base='\(base)'><entry xml:base='\(inner)'><link href='x'/></entry></feed>"
            return try #require(FeedReading.feed(text)).items.first?.link
        }
        let long = String(repeating: "b", count: NewsAddress.maxBytes)
        #expect(try link("https://b.example/d/") == "https://b.example/d/x")
        #expect(try link("https://b.example/d/", "e/") == "https://b.example/d/e/x")
        #expect(try link("https://b.example/\(long)/") == "https://e.example/dir/x")
        let half = String(repeating: "b", count: NewsAddress.maxBytes / 2)
        #expect(try link("https://b.example/\(half)/", "\(half)/") == "https://b.example/\(half)/x")
        let page = "<html><base href='https://b.example/\(long)/'><link rel=alternate type=text/xml href=f>"
        let document = FeedDocument(bytes: Array(page.utf8), address: "https://e.example/")
        guard case .page(let found) = FeedReader.read(document) else {
            Issue.record("no page")
            return
        }
        #expect(found.map(\.address.text) == ["https://e.example/f"])
    }

    /// Relative references make a body longer, up to the length that is kept.
    @Test
    func boundsBodies() throws {
        let base = "https://e.example/" + String(repeating: "b", count: 1000) + "/"
        let html = String(repeating: "<a href=\"x\">", count: 10_000)
        let body = FeedMarkup.resolved(html, at: base)
        #expect(body.utf8.count == NewsLimits.maxBodyBytes && body.hasPrefix("<a href=\"\(base)x\"><a href"))
        let plain = String(repeating: "<b>x</b>", count: 100_000)
        #expect(FeedMarkup.resolved(plain, at: base) == plain.prefix(bytes: NewsLimits.maxBodyBytes))
    }

    /// Prefixes beyond those that feeds declare are names without a meaning.
    @Test
    func takesFewPrefixes() throws {
        func creator(behind count: Int) throws -> String? {
            let prefixes = (0..<count).map { "<p xmlns:a\($0)='u'>" }.joined()
            let purl = "http://purl.org/dc/elements/1.1/"
            let item = "<item xmlns:d='\(purl)'><title>t</title><d:creator>Ann</d:creator></item>"
            let ends = String(repeating: "</p>", count: count)
            // Declared in elements around the item, of which the last ends before it.
            return try #require(
                FeedReading.feed("<rss><channel>\(prefixes)\(ends)\(item)</channel></rss>")
            ).items.first?.author
        }
        #expect(try creator(behind: 0) == "Ann")
        #expect(try creator(behind: 60) == "Ann")
        let names = (0..<63).map { "xmlns:a\($0)='u'" }.joined(separator: " ")
        let item = "<item xmlns:x='u' xmlns:d='http://purl.org/dc/elements/1.1/'><d:creator>Ann</d:creator></item>"
        let feed = FeedReading.feed("<rss \(names)><channel xmlns:b='u'>\(item)</channel></rss>")
        #expect(feed?.items.first?.author == nil)
    }

    /// Files that an item names many times are read some times.
    @Test
    func readsFewParts() throws {
        let same = String(repeating: "<enclosure url='https://e.example/a'/>", count: XMLFeedReader.maxParts)
        let feed = FeedReading.feed("<rss><channel><item>\(same)<enclosure url='https://e.example/b'/></item>")
        #expect(feed?.items.first?.enclosures.map(\.address) == ["https://e.example/a"])
    }
}
