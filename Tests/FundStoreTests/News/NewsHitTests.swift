import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Items of news that the search over everything finds.
struct NewsHitTests {
    /// A list with a feed of one item, whose words are indexed.
    @discardableResult
    private static func add(
        _ host: String, _ key: String, in list: NewsList = .own, of user: User.ID, _ news: SQLNewsStore
    ) async throws -> NewsSubscription {
        let feed = try await NewsStoreTests.feed("https://\(host)/feed", in: list, of: user, news)
        _ = try await news.noteFetch(NewsStoreTests.fetch([key], title: host), of: feed.feed.id)
        while try await news.indexNews() > 0 {}
        return feed
    }

    private static func titles(_ query: SearchQuery, of user: User.ID, _ news: SQLNewsStore) async throws -> [String] {
        try await news.newsHits(query, of: user).items.map(\.item.title)
    }

    private static func bea(_ harness: StoreHarness) async throws -> User.ID {
        try await harness.store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
        ).id
    }

    @Test
    func findsWhatIsInTheListsOfOnePersonAlone() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let bea = try await Self.bea(harness)
        try await Self.add("own.example", "own", of: ann, news)
        try await Self.add("fund.example", "fund", in: .fund(fund), of: ann, news)
        try await Self.add("bea.example", "bea", of: bea, news)
        let hits = try await news.newsHits(SearchQuery(text: "body"), of: ann).items
        #expect(hits.map(\.item.title) == ["Title fund", "Title own"])
        #expect(hits.map(\.list) == [.fund(fund), .own])
        #expect(hits.map(\.item.feedTitle) == ["fund.example", "own.example"])
        #expect(try await Self.titles(SearchQuery(text: "body"), of: bea, news) == ["Title bea"])
        // A feed of two lists has its items once, in the person's own.
        try await Self.add("fund.example", "fund", of: ann, news)
        #expect(try await news.newsHits(SearchQuery(text: "fund"), of: ann).items.map(\.list) == [.own])
        var query = SearchQuery(text: "body")
        query.limit = 1
        var found: [String] = []
        repeat {
            let page = try await news.newsHits(query, of: ann)
            found += page.items.map(\.item.title)
            query.cursor = page.next
        } while query.cursor != nil
        #expect(found == ["Title fund", "Title own"])
    }

    @Test
    func heedsTheFiltersOfASearch() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let bea = try await Self.bea(harness)
        try await Self.add("own.example", "own", of: ann, news)
        try await Self.add("fund.example", "fund", in: .fund(fund), of: ann, news)
        try await Self.add("bea.example", "bea", of: bea, news)
        var query = SearchQuery(text: "body")
        query.fund = fund
        #expect(try await Self.titles(query, of: ann, news) == ["Title fund"])
        #expect(try await Self.titles(query, of: bea, news).isEmpty)
        query = SearchQuery(text: "body")
        query.sender = "own.example"
        #expect(try await Self.titles(query, of: ann, news).isEmpty)
        let time = Timestamp(1_000_000_000 - 86_400)
        query.sender = nil
        (query.since, query.until) = (time, time + .seconds(1))
        #expect(try await Self.titles(query, of: ann, news).count == 2)
        query.until = time
        #expect(try await Self.titles(query, of: ann, news).isEmpty)
        (query.since, query.until) = (time + .seconds(1), nil)
        #expect(try await Self.titles(query, of: ann, news).isEmpty)
        #expect(try await Self.titles(SearchQuery(text: ""), of: ann, news).isEmpty)
    }

    /// A starred item of no list, and the feeds of a fund that is archived, are not found, as its files are not.
    @Test
    func leavesOutArchivedFundsAndRemovedFeeds() async throws {
        let harness = try await StoreHarness()
        let (news, library, ann, fund) = (harness.store.news, harness.store.library, harness.ann.id, harness.fund.id)
        let own = try await Self.add("own.example", "own", of: ann, news)
        try await Self.add("fund.example", "fund", in: .fund(fund), of: ann, news)
        let item = try #require(try await news.items(NewsFilter(), of: ann, PageQuery()).items.first)
        _ = try await news.mark([item.id], NewsMark(isStarred: true), of: ann)
        try await news.removeFeed(own.id, of: ann)
        #expect(try await news.items(NewsFilter(state: .starred), of: ann, PageQuery()).items.count == 1)
        #expect(try await Self.titles(SearchQuery(text: "body"), of: ann, news) == ["Title fund"])
        try await library.archiveFund(fund, if: nil, of: ann)
        #expect(try await Self.titles(SearchQuery(text: "body"), of: ann, news).isEmpty)
        var query = SearchQuery(text: "body")
        query.fund = fund
        #expect(try await Self.titles(query, of: ann, news).isEmpty)
        _ = try await library.restore(.fund(fund), of: ann)
        #expect(try await Self.titles(SearchQuery(text: "body"), of: ann, news) == ["Title fund"])
    }
}
