import ChildProcesses
import FundCore
import TestSupport
import Testing

@testable import MailParse

/// Feeds read in a child process.
@Suite(.startsPrograms) struct FeedPoolTests {
    private static let text = """
        <rss><channel><title>T</title><link>https://e.example/</link><ttl>60</ttl><item><title>One</title>
        <guid>https://e.example/1</guid><pubDate>2003-12-31</pubDate><author>Ann</author>
        <description>&lt;p&gt;x</description>
        <enclosure url="https://e.example/f" type="a/b" length="3"/></item><item/></channel></rss>
        """

    @Test
    func readsInAChild() async throws {
        let harness = try PoolHarness()
        for text in [
            Self.text, "<html><head><link rel=alternate type=application/rss+xml href=/f title=F>", "no feed",
            "<opml><body><outline xmlUrl='https://e.example/f' text='x'/></body></opml>",
        ] {
            let document = FeedDocument(bytes: Array(text.utf8), address: "https://e.example/", contentType: "text/xml")
            #expect(try await harness.pool.readFeed(document) == FeedReader.read(document))
        }
        // One child parses mail and goes on reading feeds.
        let children = await harness.pool.childIdentifiers()
        #expect(try await harness.parse("Subject: x\r\n\r\ny").message?.text == "y")
        let long = String(
            repeating: "<item><title>x</title><description>y &amp;amp; z</description></item>", count: 20_000)
        let reading = try await harness.pool.readFeed(FeedDocument(bytes: Array("<rss><channel>\(long)".utf8)))
        if case .feed(let feed) = reading { #expect(feed.items.count == 1) } else { Issue.record("no feed") }
        #expect(await harness.pool.childIdentifiers() == children && harness.pool.restartCount == 0)
    }

    /// A document that breaks a child costs itself, and the next one gets a new child.
    @Test(arguments: ["crash", "exit", "hang", "garbage"])
    func survivesItsChild(poison: String) async throws {
        let harness = try PoolHarness(debug: .poison, maxSeconds: poison == "hang" ? 1 : 300)
        let document = FeedDocument(bytes: Array("x\nX-Fundmail-Poison: \(poison)\n".utf8))
        #expect(try await harness.pool.readFeed(document) == nil)
        #expect(try await harness.pool.readFeed(FeedDocument(bytes: Array(Self.text.utf8))) != nil)
        #expect(harness.pool.restartCount == 1)
    }

    /// Files that people bring have less time than what is fetched.
    @Test
    func endsAFileThatTakesLong() async throws {
        let harness = try PoolHarness(debug: .poison, maxSeconds: nil, feedSeconds: 0.5)
        let document = FeedDocument(bytes: Array("x\nX-Fundmail-Poison: hang\n".utf8))
        let start = ContinuousClock.now
        #expect(try await harness.pool.readFeed(document) == nil)
        // Without the limit, the child has twenty seconds.
        #expect(.now - start < .seconds(15))
        #expect(harness.pool.restartCount == 1)
    }

    /// A child that was taken over could answer anything.
    @Test
    func checksAnswers() throws {
        var writer = FrameWriter()
        func read(_ reading: FeedReading) throws -> FeedReading {
            let frame = reading.write(to: &writer)
            return try frame[Frame.lengthBytes...].withBytes { (body) throws(FrameError) in try FeedReading(body: body)
            }
        }
        let reading = FeedReader.read(FeedDocument(bytes: Array(Self.text.utf8)))
        #expect(try read(reading) == reading)
        let bad: [ParsedFeed] = [
            ParsedFeed(title: "a\nb"), ParsedFeed(siteAddress: "javascript:x"), ParsedFeed(minInterval: .seconds(-1)),
            ParsedFeed(items: [ParsedFeedItem(link: "https://E.example/")]),
            ParsedFeed(items: [ParsedFeedItem(title: "a\u{202E}b")]),
            ParsedFeed(items: [ParsedFeedItem(enclosures: [NewsEnclosure(address: "x")])]),
            ParsedFeed(items: [
                ParsedFeedItem(enclosures: [NewsEnclosure(address: "https://e.example/", contentType: "x")])
            ]),
        ]
        for feed in bad { #expect(throws: FrameError.self) { try read(.feed(feed)) } }
        let frame = reading.write(to: &writer)
        for count in Frame.lengthBytes..<frame.count {
            #expect(throws: FrameError.self) {
                try frame[Frame.lengthBytes..<count].withBytes { (body) throws(FrameError) in
                    try FeedReading(body: body)
                }
            }
        }
    }
}
