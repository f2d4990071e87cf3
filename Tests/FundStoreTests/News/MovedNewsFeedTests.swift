import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Feeds that moved for good, to an address that is known or not, and what people see of them.
struct MovedNewsFeedTests {
    private static let oldAddress = "https://old.example/feed"
    private static let newAddress = "https://new.example/feed"
    private static let start: Int64 = 1_000_000_000

    /// A fetch that was led on for good.
    private static func moved(_ keys: [String], to text: String, at time: Int64) throws -> FeedFetch {
        var result = NewsStoreTests.fetch(keys, at: time, suffix: "moved")
        result.movedTo = try NewsStoreTests.address(text)
        return result
    }

    private static func addUser(_ name: String, _ harness: StoreHarness) async throws -> User.ID {
        try await harness.store.administration.addUser(
            email: "\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
        ).id
    }

    private static func items(
        _ news: SQLNewsStore, of user: User.ID, _ state: NewsFilter.State = .all
    ) async throws -> [NewsItem] {
        try await news.items(NewsFilter(state: state), of: user, PageQuery(limit: 500)).items
    }

    private static func titles(
        _ news: SQLNewsStore, of user: User.ID, _ state: NewsFilter.State = .all
    ) async throws -> [String] {
        try await items(news, of: user, state).map { String($0.title.dropFirst("Title ".count)) }.sorted()
    }

    @Test
    func theKnownFeedTakesItsListsItemsAndMarks() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let bea = try await Self.addUser("bea", harness)
        let old = try await NewsStoreTests.feed(Self.oldAddress, of: ann, news, folder: "Markets").feed.id
        _ = try await NewsStoreTests.feed(Self.oldAddress, in: .fund(fund), of: ann, news)
        _ = try await NewsStoreTests.feed(Self.oldAddress, of: bea, news)
        let new = try await NewsStoreTests.feed(Self.newAddress, of: bea, news).feed.id
        // Both have 1 and 2; the old one alone has 0, the new one 3.
        _ = try await news.noteFetch(NewsStoreTests.fetch(["0", "1", "2"], at: Self.start), of: old)
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2", "3"], at: Self.start), of: new)
        while try await news.indexNews() > 0 {}
        for item in try await Self.items(news, of: ann) where item.title != "Title 2" {
            let mark = NewsMark(isRead: item.title == "Title 1", isStarred: item.title == "Title 0")
            _ = try await news.mark([item.id], mark, of: ann)
        }
        let ofBea = try #require(try await Self.items(news, of: bea).first { $0.title == "Title 2" && $0.feed == old })
        _ = try await news.mark([ofBea.id], NewsMark(isRead: true, isStarred: true), of: bea)
        let version = try await news.newsVersion(of: ann)

        let result = try Self.moved(["1", "2", "3"], to: Self.newAddress, at: Self.start + 60)
        #expect(try await news.noteFetch(result, of: old) == NewsFetchCounts())
        #expect(try await news.newsVersion(of: ann) > version)

        #expect(try await Self.titles(news, of: ann) == ["0", "1", "2", "3"])
        #expect(try await Self.titles(news, of: ann, .unread) == ["0", "2", "3"])
        #expect(try await Self.titles(news, of: ann, .starred) == ["0"])
        // Items that she had by both she has once, with the marks of either.
        #expect(try await Self.titles(news, of: bea) == ["0", "1", "2", "3"])
        #expect(try await Self.titles(news, of: bea, .unread) == ["0", "1", "3"])
        #expect(try await Self.titles(news, of: bea, .starred) == ["2"])
        #expect(try await news.newsCounts(of: ann) == NewsCounts(own: 3, funds: [fund: 3]))
        let feeds = try await news.feeds(in: .own, of: ann) + news.feeds(in: .own, of: bea)
        #expect(feeds.map(\.feed.id) == [new, new] && feeds.map(\.folder) == ["Markets", ""])
        #expect(try await news.feeds(in: .fund(fund), of: ann).map(\.feed.address) == [Self.newAddress])
        // The words of all are found, once.
        let hits = try await news.newsHits(SearchQuery(text: "body"), of: ann).items
        #expect(hits.map(\.item.title).sorted() == ["Title 0", "Title 1", "Title 2", "Title 3"])

        // The other is fetched next, by its own address, and the old one is not there any more.
        let due = try await news.dueFeeds(at: Timestamp(Self.start + 60), atMost: 9, besides: [])
        #expect(due.map(\.id) == [new])
        #expect(try await news.noteFetch(result, of: old) == NewsFetchCounts())
        #expect(try await news.allFeeds(PageQuery()).items.map(\.id) == [new])
        #expect(try await harness.store.maintenance.verify().findings.isEmpty)
    }

    /// An item that came by the feed that moved belongs to its readers alone, until the feed's own document brings it.
    @Test
    func allReadersGetWhatTheFeedItselfBringsLater() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let bea = try await Self.addUser("bea", harness)
        let old = try await NewsStoreTests.feed(Self.oldAddress, of: ann, news).feed.id
        let new = try await NewsStoreTests.feed(Self.newAddress, of: bea, news).feed.id
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2"], at: Self.start), of: old)
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1"], at: Self.start), of: new)
        let result = try Self.moved(["1"], to: Self.newAddress, at: Self.start + 60)
        #expect(try await news.noteFetch(result, of: old) == NewsFetchCounts())
        #expect(try await Self.titles(news, of: bea) == ["1"])
        let version = try await news.newsVersion(of: bea)
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2"], at: Self.start + 120), of: new)
        #expect(try await Self.titles(news, of: bea) == ["1", "2"])
        #expect(try await news.newsVersion(of: bea) > version)
        #expect(try await Self.titles(news, of: ann) == ["1", "2"])
    }

    /// A feed that had ended at its own address is fetched again once another one leads there.
    @Test
    func manyItemsMoveToAFeedThatHadEnded() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let old = try await NewsStoreTests.feed(Self.oldAddress, of: ann, news).feed.id
        let new = try await NewsStoreTests.feed(Self.newAddress, of: try await Self.addUser("bea", harness), news).feed
            .id
        let keys = (0..<1100).map { "\($0)" }
        _ = try await news.noteFetch(NewsStoreTests.fetch(keys, at: Self.start), of: old)
        let gone = FeedFetch(
            outcome: .failed(.gone, detail: nil), at: Timestamp(Self.start), nextAt: nil, interval: .seconds(60))
        _ = try await news.noteFetch(gone, of: new)
        _ = try await news.noteFetch(try Self.moved(["0"], to: Self.newAddress, at: Self.start + 60), of: old)
        #expect(try await news.newsCounts(of: ann).own == keys.count)
        let due = try await news.dueFeeds(at: Timestamp(Self.start + 60), atMost: 9, besides: [])
        #expect(due.map(\.id) == [new] && due.first?.health.problem == nil)
    }

    /// A feed whose items are made up leads to a site of good name: those who add that site's feed later do not see
    /// them under its name, whether it was known or not.
    @Test(arguments: [false, true])
    func newReadersGetWhatItsOwnSiteSays(isKnown: Bool) async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let (bea, cem) = (try await Self.addUser("bea", harness), try await Self.addUser("cem", harness))
        let made = try await NewsStoreTests.feed(Self.oldAddress, of: ann, news).feed.id
        _ = try await news.noteFetch(NewsStoreTests.fetch(["made up"], at: Self.start), of: made)
        if isKnown {
            let known = try await NewsStoreTests.feed(Self.newAddress, of: bea, news).feed.id
            _ = try await news.noteFetch(NewsStoreTests.fetch(["true"], at: Self.start), of: known)
        }
        _ = try await news.noteFetch(try Self.moved(["true"], to: Self.newAddress, at: Self.start + 60), of: made)
        let later = try await NewsStoreTests.feed(Self.newAddress, of: cem, news).feed
        #expect(later.address == Self.newAddress)
        let titles = try await Self.titles(news, of: cem)
        #expect(titles.count == 1 && titles[0].hasPrefix("true"), "\(titles)")
        #expect(try await Self.titles(news, of: ann).contains("made up"))
        if isKnown { #expect(try await Self.titles(news, of: bea) == ["true"]) }
    }
}
