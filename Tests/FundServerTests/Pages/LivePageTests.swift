import FundHTTP
import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// Events for an open page.
struct LivePageTests {
    private func open(_ cookie: String, since cursor: String, _ harness: ServerHarness) async throws
        -> RawHTTPConnection
    {
        let stream = try RawHTTPConnection(port: harness.port)
        await stream.send(
            """
            GET /library/events?since=\(cursor) HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\
            Cookie: \(cookie)\r\n\r\n
            """)
        return stream
    }

    private func cursor(of page: RawHTTPResponse) throws -> String {
        let start = try #require(page.text.range(of: #"<meta name="changes" content=""#))
        return String(page.text[start.upperBound...].prefix { $0 != "\"" })
    }

    /// A page says where the stream goes on: what came before it was read is not told again, what came after is.
    @Test
    func hearsOfWhatComesAfterThePage() async throws {
        let harness = try await ServerHarness()
        let (library, fund, ann) = (harness.store.library, harness.people.fund.id, harness.people.ann)
        let session = try await BrowserSession(ann, harness)
        let before = try await library.addNote(NoteText(title: "before", content: ""), in: fund, of: ann.id)
        let cursor = try cursor(of: try await session.get("/library", harness))
        let stream = try await open(session.cookie, since: cursor, harness)
        try await eventually { harness.metrics.connections.openConnections == 1 }
        let other = try await BrowserSession(harness.people.bea, harness)
        _ = try await other.post("/library/funds", "name=Of+Bea", harness)
        let after = try await library.addNote(NoteText(title: "after", content: ""), in: fund, of: ann.id)
        let text = await stream.text(until: "\"id\":\(after.id),\"is_deleted\":false}")
        #expect(text.contains("200 OK") && text.contains("text/event-stream"))
        #expect(text.contains("\"type\":\"note\",\"id\":\(after.id)"))
        #expect(!text.contains("\"type\":\"note\",\"id\":\(before.id)"))
        #expect(!text.contains("\"type\":\"fund\""))
        try await harness.stop()
    }

    /// News that came between the page and its stream are told, and those that the page has are not.
    @Test
    func hearsOfNews() async throws {
        let harness = try await ServerHarness()
        let ann = harness.people.ann
        let session = try await BrowserSession(ann, harness)
        let before = try await session.get("/library", harness)
        #expect(before.text.contains(#"<meta name="news" content="0">"#))
        _ = try await harness.store.news.addSample("https://news.example/feed", of: ann.id)
        let stream = try await open(session.cookie, since: "\(try cursor(of: before))&news=0", harness)
        let told = await stream.text(until: "\"version\":")
        #expect(told.contains("event: news") && told.contains("\"own\":1"))
        let version = try await harness.store.news.newsVersion(of: ann.id)
        let after = try await session.get("/library", harness)
        #expect(after.text.contains("<meta name=\"news\" content=\"\(version)\">"))
        let next = try await open(session.cookie, since: "\(try cursor(of: after))&news=\(version)", harness)
        let note = try await harness.store.library.addNote(
            NoteText(title: "t", content: ""), in: harness.people.fund.id, of: ann.id)
        let text = await next.text(until: "\"id\":\(note.id),\"is_deleted\":false}")
        #expect(text.contains("\"type\":\"note\"") && !text.contains("event: news"))
        try await harness.stop()
    }

    /// A page without a region that shows what arrives listens to nothing.
    @Test
    func onlyLivePagesListen() async throws {
        let harness = try await ServerHarness()
        let (people, session) = (harness.people, try await BrowserSession(harness.people.ann, harness))
        let note = try await harness.store.library.addNote(
            NoteText(title: "t", content: ""), in: people.fund.id, of: people.ann.id)
        let fund = "/library/funds/\(people.fund.id)"
        // The list goes on beside what is opened.
        let live = [
            "/library", "/library/latest", fund, fund + "/mail", fund + "/notes", "/library/sent",
            "/library/emails/\(people.email)", "/library/notes/\(note.id)",
        ]
        let others = [
            "/library/trash", "/library/favourites", "/library/search", fund + "/manage", "/account",
        ]
        for path in live + others {
            let page = try await session.get(path, harness)
            #expect(page.status == 200, "\(path)")
            #expect(page.text.contains(#"<meta name="changes" content="""#) != live.contains(path), "\(path)")
        }
        try await harness.stop()
    }

    /// Too many streams of one user are refused, by pages and by the web API together; those of others are not.
    @Test
    func refusesTheStreamThatIsOneTooMany() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let cursor = try cursor(of: try await session.get("/library", harness))
        var streams: [RawHTTPConnection] = []
        for _ in 0..<ChangeNotifier.maxStreams {
            let stream = try await open(session.cookie, since: cursor, harness)
            #expect(await stream.text(until: "retry:").contains("200 OK"))
            streams.append(stream)
        }
        let events = ["Accept": "text/event-stream"]
        let more = try await session.get("/library/events?since=\(cursor)", harness, fields: events)
        #expect(more.status == 429 && more["retry-after"] != nil)
        let token = try await harness.token(of: harness.people.ann)
        let api = try await harness.send("GET", "/api/v1/changes", token: token, fields: events)
        #expect(api.status == 429 && api.text.contains("urn:fundmail:problem:too-many-streams"))
        #expect(try await harness.send("GET", "/api/v1/changes", token: token).status == 200)
        let bea = try await BrowserSession(harness.people.bea, harness)
        let other = try await open(bea.cookie, since: try self.cursor(of: bea.get("/library", harness)), harness)
        #expect(await other.text(until: "retry:").contains("200 OK"))
        try await harness.stop()
    }

    @Test
    func endsWithTheSession() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let cursor = try cursor(of: try await session.get("/library", harness))
        let stream = try await open(session.cookie, since: cursor, harness)
        #expect(await stream.text(until: "retry:").contains("200 OK"))
        #expect(try await session.post("/sign-out", "", harness).status == 303)
        // Nothing but the end comes behind the last event.
        #expect(await stream.text(until: "0\r\n\r\n").hasSuffix("0\r\n\r\n"))
        let again = try await open(session.cookie, since: cursor, harness)
        // EventSource gives up, and asks no more.
        #expect(await again.response()?.status == 401)
        try await harness.stop()
    }

    /// Numbers that this user never got, and texts that are none.
    @Test
    func refusesOtherCursors() async throws {
        let harness = try await ServerHarness()
        let (ann, bea) = (
            try await BrowserSession(harness.people.ann, harness), try await BrowserSession(harness.people.bea, harness)
        )
        let foreign = try cursor(of: try await bea.get("/library", harness))
        for (text, status) in [(foreign, 410), ("4503599627370496", 410), ("x", 400), ("-1", 400)] {
            let answer = try await ann.get(
                "/library/events?since=\(text)", harness, fields: ["Accept": "text/event-stream"])
            #expect(answer.status == status, "\(text)")
        }
        try await harness.stop()
    }

    @Test
    func compressesForWhoTakesIt() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let plain = try await session.get("/library", harness)
        #expect(plain["content-encoding"] == nil && plain["vary"]?.contains("Accept-Encoding") == true)
        for fields in [["Accept-Encoding": "gzip;q=0, br"], ["Accept-Encoding": "br, deflate"]] {
            #expect(try await session.get("/library", harness, fields: fields)["content-encoding"] == nil)
        }
        let small = try await session.get("/library", harness, fields: ["Accept-Encoding": "br, gzip;q=0.5"])
        #expect(small["content-encoding"] == "gzip" && small.body.starts(with: [0x1F, 0x8B]))
        #expect(small.body.count < plain.body.count)
        let style = try #require(plain.text.range(of: #"href="(/assets/[^"]+/app.css)"#, options: .regularExpression))
        let path = String(plain.text[style].dropFirst(6))
        let css = try await harness.send("GET", path)
        let smallCSS = try await harness.send("GET", path, fields: ["Accept-Encoding": "gzip"])
        #expect(css.status == 200 && smallCSS["content-encoding"] == "gzip")
        #expect(smallCSS.body.count < css.body.count / 2)
        try await harness.stop()
    }

    /// A page that scripts fetch needs no style; an opened one has the style that its policy names.
    @Test
    func opensWithItsStyle() async throws {
        let harness = try await ServerHarness()
        let session = try await BrowserSession(harness.people.ann, harness)
        let opened = try await session.get("/library", harness, fields: ["Sec-Fetch-Dest": "document"])
        let start = try #require(opened.text.range(of: "<style>")).upperBound
        let end = try #require(opened.text.range(of: "</style>")).lowerBound
        let style = Array(opened.text[start..<end].utf8)
        let digest = Data(ContentDigest.of(style).bytes).base64EncodedString()
        #expect(opened["content-security-policy"]?.contains("style-src 'self' 'sha256-\(digest)';") == true)
        #expect(!opened.text.contains("rel=\"stylesheet\"") && !opened.text[start..<end].contains("/*"))
        for fields in [[:], ["Sec-Fetch-Dest": "empty"]] {
            let fetched = try await session.get("/library", harness, fields: fields)
            #expect(!fetched.text.contains("<style>"))
            let link = try #require(
                fetched.text.range(of: #"(?<=rel="stylesheet" href=")[^"]+"#, options: .regularExpression))
            #expect(try await harness.send("GET", String(fetched.text[link])).body == style)
        }
        try await harness.stop()
    }
}
