internal import Foundation
import FundCore
import FundStore
import TestSupport
import Testing

@testable import FundServer

/// News among what the search and the list of the search fields find.
struct FoundNewsTests {
    private static func feed(_ count: Int) -> ParsedFeed {
        let items = (1...count).map { number in
            ParsedFeedItem(
                key: "\(number)", title: "Turbine <\(number)>", publishedAt: Timestamp(1_700_000_000 + Int64(number)),
                html: "<p>Words</p>")
        }
        return ParsedFeed(title: "Wind <Weekly>", items: items)
    }

    private static func link(to item: NewsItem.ID, _ path: String = "/library/news") -> String {
        "href=\"\(path)?q=turbine&amp;open=w\(item)#r\(item)\""
    }

    @Test
    func findsNewsBesideOtherThings() async throws {
        let harness = try await ServerHarness()
        let (news, ann, fund) = (harness.store.news, harness.people.ann, harness.people.fund.id)
        let session = try await BrowserSession(ann, harness)
        let own = try await news.addSample("https://wind.example/feed", Self.feed(4), of: ann.id)
        let other = try await news.addSample(
            "https://fund.example/feed", Self.feed(1), to: .fund(fund), of: ann.id)
        _ = try await news.addSample("https://bea.example/feed", Self.feed(2), of: harness.people.bea.id)
        while try await news.indexNews() > 0 {}

        let all = try await session.get("/library/search?q=turbine", harness)
        #expect(all.status == 200 && all.text.contains("class=\"latestnews\""))
        #expect(all.text.matches(of: /open=w/).count == 3)
        #expect(all.text.contains("Turbine &lt;1&gt;") && all.text.contains("Wind &lt;Weekly&gt;"))
        #expect(!all.text.contains("All words must occur"))
        #expect(all.text.contains("href=\"/library/search?q=turbine&amp;type=news\""))
        #expect(all.text.contains(Self.link(to: other.items[0], "/library/funds/\(fund)/news")))

        let only = try await session.get("/library/search?q=turbine&type=news", harness)
        #expect(only.text.contains("<option value=\"news\" selected>News</option>"))
        #expect(only.text.matches(of: /data-key="news-/).count == 5)
        for item in own.items { #expect(only.text.contains(Self.link(to: item))) }
        let opened = try await session.get("/library/news?q=turbine&open=w\(own.items[0])", harness)
        #expect(opened.status == 200 && opened.text.contains("data-detail=\"news-\(own.items[0])\""))
        #expect(try await !session.get("/library/search?q=turbine&type=file", harness).text.contains("open=w"))
        let ofFund = try await session.get("/library/search?q=turbine&type=news&fund=\(fund)", harness)
        #expect(ofFund.text.matches(of: /data-key="news-/).count == 1)
        let none = try await session.get("/library/search?q=zeppelin&type=news", harness)
        #expect(none.text.contains("All words must occur") && !none.text.contains("open=w"))

        let typed = try await session.get("/library/find?q=turbin", harness).text
        #expect(typed.contains("aria-label=\"News\"") && typed.matches(of: /open=w/).count == 3)
        #expect(typed.contains("Wind &lt;Weekly&gt;"))
        try await harness.stop()
    }

    /// The web API finds the same items, with the fund whose list has each, in pages of any length.
    @Test
    func findsNewsByTheWebAPI() async throws {
        struct Found: Decodable {
            struct Hit: Decodable, Equatable {
                var title: String
                var fund: Int64?
            }
            var hits: [Hit]
            var next: String?
        }
        let harness = try await ServerHarness()
        let (news, ann, fund) = (harness.store.news, harness.people.ann, harness.people.fund.id)
        _ = try await news.addSample("https://wind.example/feed", Self.feed(3), of: ann.id)
        _ = try await news.addSample("https://fund.example/feed", Self.feed(1), to: .fund(fund), of: ann.id)
        while try await news.indexNews() > 0 {}
        let token = try await harness.token(of: ann)
        func found(_ query: String) async throws -> Found {
            let response = try await harness.send("GET", "/api/v1/news/search?q=turbine\(query)", token: token)
            #expect(response.status == 200, "\(query): \(response.text.prefix(200))")
            return try JSONDecoder().decode(Found.self, from: Data(response.body))
        }
        var (hits, next) = ([Found.Hit](), String?.some(""))
        while let cursor = next {
            let page = try await found("&limit=1" + (cursor.isEmpty ? "" : "&cursor=\(cursor)"))
            hits += page.hits
            next = page.next
        }
        #expect(hits.map(\.fund) == [fund.rawValue, nil, nil, nil])
        #expect(Set(hits.map(\.title)) == ["Turbine <1>", "Turbine <2>", "Turbine <3>"])
        for (query, count) in [
            ("&fund=\(fund)", 1), ("&since=1700000003", 1), ("&until=1700000002", 2), ("+words", 4), ("+zeppelin", 0),
        ] { #expect(try await found(query).hits.count == count, "\(query)") }
        let bea = try await harness.token(of: harness.people.bea)
        for (query, user, status) in [("", token, 400), ("?q=", token, 400), ("?q=a&fund=\(fund)", bea, 404)] {
            let answer = try await harness.send("GET", "/api/v1/news/search\(query)", token: user)
            #expect(answer.status == status, "\(query)")
        }
        try await harness.stop()
    }

    @Test
    func findsNoNewsOfOthers() async throws {
        let harness = try await ServerHarness()
        let news = harness.store.news
        _ = try await news.addSample("https://wind.example/feed", Self.feed(2), of: harness.people.ann.id)
        while try await news.indexNews() > 0 {}
        let bea = try await BrowserSession(harness.people.bea, harness)
        for path in ["search?q=turbine", "search?q=turbine&type=news", "find?q=turbine"] {
            let page = try await bea.get("/library/\(path)", harness)
            #expect(page.status == 200 && !page.text.contains("open=w") && !page.text.contains("Weekly"), "\(path)")
        }
        try await harness.stop()
    }
}
