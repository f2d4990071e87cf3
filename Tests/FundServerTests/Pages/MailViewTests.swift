import Foundation
import FundCore
import FundStore
import MailParse
import TestSupport
import Testing

@testable import FundServer

/// Mail as HTML: the frame, its headers, its pictures, and where its links lead.
@Suite(.startsPrograms) struct MailViewTests {
    /// One server with a child that sanitizes, and one mail of Ann's.
    private struct Place {
        let harness: ServerHarness
        let parser: ParserPool
        let session: BrowserSession
        let email: EmailSummary.ID

        init(html: String?, text: String? = nil, parts: [FiledMail.Part] = []) async throws {
            let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "sanitizer"))"
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            parser = ParserPool(executable: BuiltProgram().path, stagingDirectory: folder, concurrency: 1)
            var options = ServerHarness.Options()
            options.sanitizer = parser
            harness = try await ServerHarness(options)
            session = try await BrowserSession(harness.people.ann, harness)
            let mail = FiledMail(subject: "[Fund1] \"><b>x</b>", text: text, html: html, parts: parts)
            email = try #require(
                try await mail.file(in: harness.people.fund, of: harness.people.ann, store: harness.store))
        }

        var path: String { "/library/emails/\(email)" }

        func page(_ query: String = "") async throws -> RawHTTPResponse { try await session.get(path + query, harness) }

        func frame(_ query: String = "", dest: String? = "iframe") async throws -> RawHTTPResponse {
            try await session.get(
                path + "/frame" + query, harness, fields: dest.map { ["Sec-Fetch-Dest": $0] } ?? [:])
        }

        func stop() async throws {
            try await harness.stop()
            await parser.shutdown()
        }
    }

    /// A mail of an archive came today, and is older: both are shown.
    @Test
    func showsTheMailsOwnDate() async throws {
        let harness = try await ServerHarness()
        let (people, store) = (harness.people, harness.store)
        let session = try await BrowserSession(people.ann, harness)
        func file(_ name: String, _ date: Timestamp?) async throws -> String {
            let mail = FiledMail(subject: name, date: date)
            let id = try #require(try await mail.file(in: people.fund, of: people.ann, store: store))
            // Beside it stands the list.
            let page = try await session.get("/library/emails/\(id)", harness).text
            return String(page[try #require(page.range(of: "<section class=\"detail")).lowerBound...])
        }
        let archived = try await file("archived", 837_596_665)
        #expect(archived.contains("dated <time datetime=\"1996-07-17") && archived.contains("came <time"))
        #expect(try await file("today", .now).contains("dated <time"))
        let dateless = try await file("dateless", nil)
        #expect(!dateless.contains("dated <time") && dateless.contains("came <time"))
        // A list says it of the one that was not sent when it came.
        let list = try await session.get("/library/funds/\(people.fund.id)/mail?sender=ann", harness).text
        #expect(list.contains("dated <time datetime=\"1996-07-17"))
        let rows = list.components(separatedBy: "<li class=\"row\"")
        #expect(rows.filter { $0.contains("today") || $0.contains("dateless") }.allSatisfy { !$0.contains("dated") })
        try await harness.stop()
    }

    @Test
    func framesHTML() async throws {
        let place = try await Place(
            html: "<p onclick=x>Hi<script>alert(1)</script><img src=https://e.example/1><img src=//e.example/2>",
            text: "plain")
        let text = try await place.page()
        #expect(text.text.contains("plain") && !text.text.contains("<iframe"))
        #expect(text.text.contains("?view=html"))
        let page = try await place.page("?view=html")
        let frame = """
            sandbox="allow-popups allow-popups-to-escape-sandbox" referrerpolicy="no-referrer" loading="lazy" \
            title="Text of the mail" src="\(place.path)/frame"></iframe>
            """
        #expect(page.text.contains(frame))
        #expect(page.text.contains("2 remote pictures blocked"))
        #expect(!page.text.contains("plain"))
        #expect(page["content-security-policy"] == PagePolicy.pages)
        let alone = try await place.page("?view=html&alone=1")
        #expect(alone.status == 200 && alone.text.contains(frame) && alone.text.contains("&quot;&gt;&lt;b&gt;x"))
        let document = try await place.frame()
        #expect(document.status == 200)
        #expect(document.text.contains("<p>Hi<img><img></body>"))
        #expect(document["content-security-policy"] == Self.policy)
        #expect(document["referrer-policy"] == "no-referrer")
        #expect(document["x-dns-prefetch-control"] == "off")
        #expect(document["x-content-type-options"] == "nosniff")
        #expect(document["cache-control"] == "private, no-store")
        try await place.stop()
    }

    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; "
        + "frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox"

    /// Alone it would be a page of this site.
    @Test(arguments: ["document", "empty", "image", "embed", "object", "frame", nil])
    func isForFramesAlone(dest: String?) async throws {
        let place = try await Place(html: "<p>Hi")
        let answer = try await place.frame(dest: dest)
        #expect(answer.status == 303)
        #expect(answer["location"] == place.path + "?view=html")
        try await place.stop()
    }

    @Test
    func showsRemotePicturesOnce() async throws {
        let place = try await Place(html: "<img src=http://e.example/1><p style='background:url(//e.example/2)'>")
        let bea = try await BrowserSession(place.harness.people.bea, place.harness)
        #expect(try await bea.post(place.path + "/pictures", "", place.harness).status == 404)
        // On a phone they are shown where the HTML stands alone: no field of its address is there twice.
        let here = place.path + "?alone=1"
        let alone = try await place.page("?view=html&alone=1")
        #expect(alone.text.contains(#"name="back" value="\#(here)""#))
        let answer = try await place.session.post(
            place.path + "/pictures", "back=\(place.path)%3Falone%3D1", place.harness)
        #expect(answer.status == 303)
        let location = try #require(answer["location"])
        #expect(location.hasPrefix(here + "&view=html&pictures="))
        let token = try #require(location.split(separator: "=").last)
        let other = try await BrowserSession(place.harness.people.ann, place.harness)
        for _ in 0..<2 {  // looking at the page uses nothing up
            let page = try await other.get(location, place.harness)
            #expect(page.text.contains("src=\"\(place.path)/frame?pictures=\(token)\""))
            #expect(!page.text.contains("/pictures\""))
        }
        // Neither another mail's, another person's, nor a look at the head.
        let mail = FiledMail(subject: "other", text: nil, html: "<img src=https://e.example/1>")
        let second = try #require(
            try await mail.file(in: place.harness.people.fund, of: place.harness.people.ann, store: place.harness.store)
        )
        let frame = ["Sec-Fetch-Dest": "iframe"]
        let wrong = try await place.session.get(
            "/library/emails/\(second)/frame?pictures=\(token)", place.harness, fields: frame)
        #expect(!wrong.text.contains("e.example") && wrong["content-security-policy"] == Self.policy)
        #expect(
            try await bea.get("\(place.path)/frame?pictures=\(token)", place.harness, fields: frame).status == 404)
        let head = frame.merging(["Cookie": place.session.cookie]) { $1 }
        _ = try await place.harness.send("HEAD", "\(place.path)/frame?pictures=\(token)", fields: head)
        let shown = try await place.frame("?pictures=\(token)")
        #expect(shown.text.contains("<img src=\"https://e.example/1\">"))
        #expect(shown.text.contains("url(&quot;https://e.example/2&quot;)"))
        #expect(
            shown["content-security-policy"] == Self.policy.replacing("img-src data:", with: "img-src data: https:"))
        for query in ["?pictures=\(token)", "?pictures=x", "?pictures="] {
            let again = try await place.frame(query)
            #expect(!again.text.contains("e.example"))
            #expect(again["content-security-policy"] == Self.policy)
        }
        #expect(try await place.page("?view=html&pictures=\(token)").text.contains("2 remote pictures blocked"))
        try await place.stop()
    }

    @Test
    func picturesExpire() {
        let (grants, now) = (PictureGrants(), ContinuousClock.now)
        let token = grants.make(for: .email(1), of: 2, at: now)
        #expect(grants.isGood(token, for: .email(1), of: 2, at: now + .seconds(119)))
        #expect(!grants.use(token, for: .email(1), of: 2, at: now + .seconds(121)))
        #expect(!grants.use(token, for: .email(1), of: 3, at: now))
        #expect(!grants.use(token, for: .email(2), of: 2, at: now))
        #expect(!grants.use(nil, for: .email(1), of: 2, at: now))
        #expect(grants.use(token, for: .email(1), of: 2, at: now))
        #expect(!grants.use(token, for: .email(1), of: 2, at: now))
        #expect(!grants.isGood(grants.make(for: .email(1), of: 2, at: now), for: .news(1), of: 2, at: now))
        // Only so many at a time.
        let first = grants.make(for: .email(1), of: 2, at: now)
        for _ in 0..<16 { _ = grants.make(for: .email(1), of: 2, at: now) }
        #expect(!grants.isGood(first, for: .email(1), of: 2, at: now))
    }

    @Test
    func showsPicturesOfTheMail() async throws {
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
        let place = try await Place(
            html: "<img src=cid:logo@a><img src=cid:svg><img src=photo.jpg>",
            parts: [
                FiledMail.Part(name: "l.gif", bytes: png, contentType: "image/gif", contentID: "logo@a"),
                FiledMail.Part(
                    name: "s.png", bytes: Array("<svg onload=alert(1)>".utf8), contentType: "image/png",
                    contentID: "svg"),
                FiledMail.Part(name: "photo.jpg", bytes: [0xFF, 0xD8, 0xFF, 0xE0], contentType: "image/jpeg"),
            ])
        let document = try await place.frame()
        #expect(document.text.contains("<img src=\"data:image/png;base64,iVBORw0KGgoBAgM=\">"))
        #expect(document.text.contains("<img src=\"data:,\">"))
        #expect(document.text.contains("<img src=\"data:image/jpeg;base64,/9j/4A==\">"))
        #expect(!document.text.contains("svg"))
        try await place.stop()
    }

    @Test(
        arguments: [
            ([0x52, 0x49, 0x46, 0x46, 0, 0, 0, 0, 0x57, 0x45, 0x42, 0x50], PictureType.webp),
            (Array("\0\0\0 ftypavif".utf8), .avif), (Array("\0\0\0 ftypmif1\0\0\0\0mif1avif".utf8), .avif),
            (Array("GIF89a".utf8), .gif), (Array("GIF88a".utf8), nil), (Array("<svg>".utf8), nil), ([], nil),
            (Array("RIFF....WAVE".utf8), nil), (Array("\0\0\0 ftypisom".utf8), nil), (Array("%PDF-1.4".utf8), nil),
        ] as [([UInt8], PictureType?)])
    func goesByTheFirstBytes(bytes: [UInt8], type: PictureType?) { #expect(PictureType(of: bytes) == type) }

    @Test
    func asksBeforeDisguisedLinks() async throws {
        let place = try await Place(
            html:
                "<a href='https://evil.example/?a=1&amp;b=\"'>https://bank.example</a><a href=https://ok.example>ok</a>"
        )
        let document = try await place.frame()
        #expect(document.text.contains("<a href=\"https://ok.example\" target=\"_blank\" rel=\"noopener noreferrer\">"))
        #expect(!document.text.contains("href=\"https://evil"))
        let start = try #require(document.text.range(of: "/library/leaving?to="))
        let address = String(document.text[start.lowerBound...].prefix { $0 != "\"" })
        let page = try await place.session.get(address, place.harness)
        #expect(page.status == 200)
        #expect(page.text.contains("bank.example") && page.text.contains("<bdi>evil.example</bdi>"))
        #expect(
            page.text.contains("href=\"https://evil.example/?a=1&amp;b=%22\" rel=\"noopener noreferrer\""))
        #expect(!page.text.contains("http-equiv"))
        // Sealed for Ann: neither another person's nor one that was made up.
        let bea = try await BrowserSession(place.harness.people.bea, place.harness)
        #expect(try await bea.get(address, place.harness).status == 404)
        #expect(try await place.session.get(address.dropLast(2) + "AA", place.harness).status == 404)
        #expect(try await place.session.get("/library/leaving?to=https://evil.example", place.harness).status == 404)
        // From the frame, which is of no origin, it comes without the cookie.
        let again = try await place.harness.send("GET", address, fields: ["Sec-Fetch-Site": "cross-site"])
        #expect(again.status == 200 && again.text.contains("http-equiv=\"refresh\""))
        try await place.stop()
    }

    /// A crash of the child, or no child at all: the words are shown.
    @Test
    func fallsBackToText() async throws {
        let harness = try await ServerHarness()
        let mail = FiledMail(subject: "x", text: nil, html: "<p>only <b>words</b>")
        let email = try #require(
            try await mail.file(in: harness.people.fund, of: harness.people.ann, store: harness.store))
        let session = try await BrowserSession(harness.people.ann, harness)
        let page = try await session.get("/library/emails/\(email)?view=html", harness)
        #expect(page.status == 200)
        #expect(page.text.contains("only words") && !page.text.contains("<iframe"))
        try await harness.stop()
    }

    /// One run for the page and its frame, none for a look at the head of a frame, and none again for what broke it.
    @Test(arguments: ["<p>x", "broken"])
    func sanitizesOnce(html: String) async throws {
        let sanitizer = CountingSanitizer()
        var options = ServerHarness.Options()
        options.sanitizer = sanitizer
        let harness = try await ServerHarness(options)
        let mail = FiledMail(subject: "x", text: nil, html: html)
        let email = try #require(
            try await mail.file(in: harness.people.fund, of: harness.people.ann, store: harness.store))
        let session = try await BrowserSession(harness.people.ann, harness)
        let fields = ["Sec-Fetch-Dest": "iframe", "Cookie": session.cookie]
        let head = try await harness.send("HEAD", "/library/emails/\(email)/frame", fields: fields)
        #expect(head.status == 200 && head["content-security-policy"] == Self.policy)
        #expect(head["content-type"] == "text/html; charset=utf-8")
        #expect(sanitizer.runs == 0)
        for _ in 0..<2 {
            let page = try await session.get("/library/emails/\(email)?view=html", harness)
            #expect(page.text.contains("<iframe") == (html != "broken"))
            let frame = try await session.get("/library/emails/\(email)/frame", harness, fields: fields)
            #expect(frame.status == 200 && frame.text.contains("<p>x") == (html != "broken"))
        }
        #expect(sanitizer.runs == 1)
        let answer = try await session.post("/library/emails/\(email)/pictures", "", harness)
        _ = try await session.get(try #require(answer["location"]), harness)
        #expect(sanitizer.runs == 2)
        try await harness.stop()
    }

    @Test
    func deletedMailHasNoFrame() async throws {
        let place = try await Place(html: "<p>x")
        try await place.harness.store.library.deleteEmail(place.email, of: place.harness.people.ann.id)
        #expect(try await place.frame().status == 404)
        #expect(try await place.session.post(place.path + "/pictures", "", place.harness).status == 404)
        try await place.stop()
    }

    // MARK: Text

    @Test(arguments: [
        (
            "see https://a.example/x?y=1, or (http://b.example/c_(d)).",
            ["https://a.example/x?y=1", "http://b.example/c_(d)"]
        ),
        ("MAILTO:a@b.example; https://", ["MAILTO:a@b.example"]), ("xhttps://a.example", []),
        ("javascript:alert(1) data:text/html,x file:///x", []), ("https://a.example<script>", ["https://a.example"]),
        ("请看https://a.example/中文。", ["https://a.example/"]), ("https://a.example\">x", ["https://a.example"]),
        ("http://http://a.example", ["http://http://a.example"]), (":", []), ("", []),
    ])
    func findsLinks(text: String, links: [String]) {
        let parts = TextLinks.parts(of: text)
        #expect(parts.filter { $0.target != nil }.map(\.text) == links)
        #expect(parts.map(\.text).joined() == text)
    }

    /// Each candidate is looked at to its end: after a thousand, or 256 KiB of them, there are none.
    @Test(arguments: [
        ("http://! ", 999, true), ("http://! ", 1000, false), ("http://!", 30, true), ("http://!", 400, false),
    ])
    func looksAtFewCandidates(bad: String, count: Int, isLinked: Bool) {
        let text = String(repeating: bad, count: count) + " http://good.example"
        let parts = TextLinks.parts(of: text)
        #expect(parts.contains { $0.text == "http://good.example" && $0.target != nil } == isLinked)
        #expect(parts.map(\.text).joined() == text)
    }

    /// CVE-2023-43770 and CVE-2026-54433: links that are made in plain text, and plain text that holds markup.
    @Test
    func linksInTextAreNoMarkup() async throws {
        let text = """
            https://a.example/"onmouseover="alert(1) <https://b.example/'><img src=x onerror=alert(1)>
            [https://c.example](javascript:alert(1)) https://d.example/<script>alert(1)</script> {{csrf}}
            http://127.0.0.1/ https://bank.example@evil.example/
            """
        let place = try await Place(html: nil, text: text)
        let page = try await place.page()
        for markup in ["<img", "<script>alert", "\"onmouse", "'><", "javascript:alert(1)\""] {
            #expect(!page.text.contains(markup), "\(markup)")
        }
        #expect(page.text.contains("<a href=\"https://a.example/\" target=\"_blank\" rel=\"noopener noreferrer\">"))
        #expect(page.text.contains("{{csrf}}"))
        // Links that mislead on their own go over the page in between.
        #expect(page.text.matches(of: /href="\/library\/leaving\?to=/).count == 2)
        #expect(!page.text.contains("?view=html"))
        try await place.stop()
    }

    /// CVE-2024-42008, and CVE-2026-8496 and its like: what is attached is saved, and no page of this site.
    @Test(arguments: [
        ("a.html", "text/html"), ("a.svg", "image/svg+xml"), ("a.ics", "text/calendar"), ("a.xml", "text/xml\"><b>"),
    ])
    func attachmentsAreSaved(name: String, type: String) async throws {
        let place = try await Place(
            html: nil, text: "x",
            parts: [FiledMail.Part(name: name, bytes: Array("<script>alert(1)</script>".utf8), contentType: type)])
        let page = try await place.page()
        #expect(!page.text.contains("<b>\""))
        let email = try await place.harness.store.library.email(place.email, of: place.harness.people.ann.id)
        let answer = try await place.session.get("/library/attachments/\(email.attachments[0].id)", place.harness)
        #expect(answer["content-disposition"]?.hasPrefix("attachment") == true)
        #expect(answer["content-security-policy"]?.contains("sandbox") == true)
        #expect(answer["x-content-type-options"] == "nosniff")
        try await place.stop()
    }
}
