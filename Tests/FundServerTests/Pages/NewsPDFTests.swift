import FundCore
import FundStore
import HTTPTypes
import Synchronization
import TestSupport
import Testing

@testable import FundHTTP
@testable import FundServer

/// Items of news that are kept as PDF.
struct NewsPDFTests {
    private struct Place {
        let harness: ServerHarness
        let ann: BrowserSession
        let item: NewsItem.ID
        let previews: SamplePreviews

        init(_ html: String = "<p>Words</p>", hasPreviews: Bool = true) async throws {
            previews = SamplePreviews()
            var options = ServerHarness.Options()
            options.previews = hasPreviews ? previews : nil
            options.sanitizer = CountingSanitizer()
            harness = try await ServerHarness(options)
            ann = try await BrowserSession(harness.people.ann, harness)
            let parsed = ParsedFeed(
                title: "Sample",
                items: [
                    ParsedFeedItem(
                        key: "1", title: "Fees <b> 2026/27", link: "https://news.example/1", author: "Eve",
                        publishedAt: 1_700_000_000, html: html)
                ])
            let sample = try await harness.store.news.addSample(
                "https://news.example/feed", parsed, of: harness.people.ann.id)
            item = try #require(sample.items.first)
        }

        var keep: String { "/library/news/items/\(item)/keep" }
        var fund: Fund.ID { harness.people.fund.id }

        /// The names of the PDFs that the item became.
        func pdfs() async throws -> [String] {
            try await harness.store.library.children(of: LibraryPlace(fund: fund), of: harness.people.ann.id)
                .map(\.name).filter { $0.hasPrefix("Fees ") && $0.hasSuffix(".pdf") }
        }

        /// By the web API.
        func kept() async throws -> RawHTTPResponse {
            let token = try await harness.token(of: harness.people.ann)
            return try await harness.send(
                "POST", "/api/v1/news/items/\(item)/keep",
                fields: ["Authorization": "Bearer \(token)", "Content-Type": "application/json"],
                body: Array(#"{"fund":\#(fund),"as":"pdf"}"#.utf8))
        }
    }

    private static func article(_ html: String, _ enclosures: [NewsEnclosure] = []) -> NewsArticle {
        NewsArticle(
            item: NewsItem(
                id: 1, feed: 1, feedTitle: "Feed", title: "Fees & <b>", link: "https://news.example/?a=1&b=2",
                author: "\"Eve\"", excerpt: "", publishedAt: 1_700_000_000, isRead: false, isStarred: false),
            html: html, enclosures: enclosures, source: "Source")
    }

    @Test func keepsItemsAsPDF() async throws {
        let place = try await Place()
        let open = "/library/news?open=w\(place.item)"
        #expect(try await place.ann.get(open, place.harness).text.contains("name=\"as\" value=\"pdf\""))
        let answer = try await place.ann.post(place.keep, "as=pdf&fund=\(place.fund)", place.harness)
        #expect(answer.status == 303 && answer["location"]?.contains("done=news-pdf&kept=f") == true)
        let names = try await place.pdfs()
        #expect(names.count == 1 && names[0].hasSuffix("2026 27.pdf"), "\(names)")
        place.previews.state.withLock { $0.makesDocuments = false }
        let without = try await place.ann.get(open, place.harness).text
        #expect(without.contains("value=\"file\"") && !without.contains("value=\"pdf\""))
        #expect(try await place.kept().status == 201)
        #expect(try await place.pdfs().count == 2)
        let shown = try await place.ann.get(answer["location"] ?? "", place.harness)
        #expect(shown.text.contains("Kept as a PDF of the fund."))
        try await place.harness.stop()
    }

    /// The menu has no such entry, and who asks for it all the same is told of the text file.
    @Test func aServerWithoutConvertersOffersTheTextFile() async throws {
        let place = try await Place(hasPreviews: false)
        let page = try await place.ann.get("/library/news?open=w\(place.item)", place.harness)
        #expect(page.text.contains("value=\"file\"") && !page.text.contains("value=\"pdf\""))
        let refused = try await place.ann.post(place.keep, "as=pdf&fund=\(place.fund)", place.harness)
        #expect(refused.status == 422 && refused.text.contains("Keep it as a text file instead."))
        let answer = try await place.kept()
        #expect(answer.status == 422 && answer.text.contains("no-pdf") && answer.text.contains("\"off\""))
        try await place.harness.stop()
    }

    @Test(arguments: [RenditionFailure.noTool, .noSandbox, .timedOut, .crashed])
    func failuresFileNothing(_ failure: RenditionFailure) async throws {
        let place = try await Place()
        place.previews.state.withLock { $0.usual = .failed(failure) }
        let answer = try await place.kept()
        #expect(answer.status == 422 && answer.text.contains("\"\(failure.rawValue)\""))
        #expect(try await place.pdfs().isEmpty)
        try await place.harness.stop()
    }

    /// A sanitizer that cannot be had is no failure at the item.
    @Test func whoCannotWaitIsToldToComeBack() async throws {
        let place = try await Place("busy")
        let answer = try await place.kept()
        #expect(answer.status == 503 && answer["retry-after"] == "10")
        try await place.harness.stop()
        let previews = SamplePreviews()
        previews.state.withLock { $0.usual = .full }
        let pdfs = NewsPDFs(source: previews, sanitizer: nil, longestWait: .milliseconds(1))
        let error = await #expect(throws: RequestError.self) { try await pdfs.pdf(of: Self.article("x"), for: 1) }
        #expect(error?.status == .serviceUnavailable && error?.headers[.retryAfter] == "10")
        previews.state.withLock { $0.usual = .ready }
        let patient = NewsPDFs(source: previews, sanitizer: nil)
        #expect(try await patient.pdf(of: Self.article("x"), for: 1).starts(with: "%PDF-".utf8))
    }

    @Test func theDocumentHasItsHeadAsText() throws {
        let enclosure = NewsEnclosure(address: "https://news.example/a.mp3?<i>")
        let link = DisguisedLink(target: try #require(LinkTarget("https://evil.example/")), shownHost: "bank.example")
        let body = SanitizedMail(pieces: [.markup("<a href=\""), .link(link), .markup("\">bank.example</a>")])
        let html = String(decoding: NewsDocument(Self.article("<i>", [enclosure]), body).html, as: UTF8.self)
        #expect(html.contains("<h1>Fees &amp; &lt;b&gt;</h1>"))
        #expect(html.contains("<p>Source · &quot;Eve&quot; · 2023-11-14</p>"))
        #expect(html.contains("<p>https://news.example/?a=1&amp;b=2</p>"))
        #expect(html.contains("<a href=\"#\">bank.example</a>") && !html.contains("evil.example"))
        #expect(html.contains("a.mp3?&lt;i&gt;"))
    }

    /// HTML that broke the sanitizer is no markup of the document.
    @Test func withoutASanitizerTheWordsAreLeft() {
        let article = Self.article("<script>alert(1)</script><p onclick=x>One &lt;b&gt;</p><p>Two</p><img src=a>")
        let html = String(decoding: NewsDocument(article, nil).html, as: UTF8.self)
        #expect(html.contains("<p>One &lt;b&gt;</p>") && html.contains("<p>Two</p>"))
        #expect(!html.contains("alert") && !html.contains("onclick") && !html.contains("<img"))
    }

    /// A part of an item is not filed as if it were all of it.
    @Test func whatIsCutIsRefused() async throws {
        struct CuttingSanitizer: MailSanitizer {
            func sanitize(_ mail: HTMLMail) async throws -> SanitizedMail? {
                SanitizedMail(pieces: [.markup("a")], isCut: true)
            }
        }
        let pdfs = NewsPDFs(source: SamplePreviews(), sanitizer: CuttingSanitizer())
        let error = await #expect(throws: RequestError.self) { try await pdfs.pdf(of: Self.article("x"), for: 1) }
        #expect(error?.status == .unprocessableContent && error?.reason == "too_large")
    }
}
