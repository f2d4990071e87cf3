import FundCore
import TestSupport
import Testing

@testable import FundStore

/// Feeds, lists and items in rows.
struct NewsStoreTests {
    private struct NoAddress: Error {}

    static func address(_ text: String) throws -> NewsAddress {
        guard let address = NewsAddress(text) else { throw NoAddress() }
        return address
    }

    /// A list with one feed.
    static func feed(
        _ text: String = "https://a.example/feed", in list: NewsList = .own, of user: User.ID, _ news: SQLNewsStore,
        folder: String = ""
    ) async throws -> NewsSubscription {
        let new = NewNewsFeed(address: try address(text), folder: folder)
        return try #require(try await news.addFeeds([new], to: list, of: user).first)
    }

    /// A fetch that brings items of these keys, one a day.
    static func fetch(
        _ keys: [String], at time: Int64 = 1_000_000_000, title: String = "Feed", suffix: String = ""
    ) -> FeedFetch {
        let items = keys.enumerated().map { index, key in
            ParsedFeedItem(
                key: key, title: "Title \(key)\(suffix)", link: "https://a.example/\(key)",
                publishedAt: Timestamp(time - 86_400 * Int64(index + 1)), html: "<p>Body of \(key)\(suffix)")
        }
        return FeedFetch(
            outcome: .changed(
                ParsedFeed(title: title, items: items), FeedValidators(etag: "\"\(suffix)\""),
                digest: .of(Array((keys.joined() + suffix).utf8))),
            at: Timestamp(time), nextAt: Timestamp(time + 3600), interval: .seconds(3600))
    }

    private func bea(_ harness: StoreHarness) async throws -> User {
        try await harness.store.administration.addUser(
            email: "bea@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
    }

    @Test
    func oneFeedServesAllWhoHaveIt() async throws {
        let harness = try await StoreHarness()
        let (news, ann, bea) = (harness.store.news, harness.ann.id, try await bea(harness).id)
        let own = try await Self.feed(of: ann, news)
        let other = try await Self.feed(of: bea, news)
        #expect(own.feed.id == other.feed.id && own.title == "a.example")
        #expect(try await news.dueFeeds(at: .now, atMost: 10, besides: []).map(\.id) == [own.feed.id])
        #expect(try await news.noteFetch(Self.fetch(["1", "2"]), of: own.feed.id) == NewsFetchCounts(new: 2))
        let items = try await news.items(NewsFilter(), of: ann, PageQuery()).items
        #expect(items.map(\.title) == ["Title 1", "Title 2"] && items[0].excerpt == "Body of 1")
        #expect(items[0].feedTitle == "Feed" && !items[0].isRead)
        // The marks of one user are no other’s.
        _ = try await news.mark([items[0].id], NewsMark(isRead: true), of: ann)
        #expect(try await news.newsCounts(of: ann).own == 1)
        #expect(try await news.newsCounts(of: bea).own == 2)
        let article = try await news.article(items[1].id, of: bea)
        #expect(article.html == "<p>Body of 2" && article.source == "Feed")
        // Another user's feed and items are not found.
        let cem = try await harness.store.administration.addUser(
            email: "cem@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test")
        await #expect { _ = try await news.article(items[0].id, of: cem.id) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        await #expect { try await news.removeFeed(own.id, of: bea) } throws: { ($0 as? StoreError)?.code == .notFound }
        #expect(try await news.mark([items[0].id], NewsMark(isStarred: true), of: cem.id).isEmpty)
        #expect(try await harness.store.maintenance.verify().findings.isEmpty)
    }

    @Test
    func changedItemsStayOneAndKeepTheirMarks() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await Self.feed(of: ann, news).feed.id
        _ = try await news.noteFetch(Self.fetch(["1", "2"]), of: feed)
        let item = try #require(try await news.items(NewsFilter(), of: ann, PageQuery()).items.first)
        _ = try await news.mark([item.id], NewsMark(isRead: true, isStarred: true), of: ann)
        let version = try await news.newsVersion(of: ann)
        // A document that came before changes nothing.
        #expect(try await news.noteFetch(Self.fetch(["1", "2"], at: 1_000_003_600), of: feed) == NewsFetchCounts())
        #expect(try await news.newsVersion(of: ann) == version)
        let counts = try await news.noteFetch(Self.fetch(["1", "2", "3"], suffix: "!"), of: feed)
        #expect(counts == NewsFetchCounts(new: 1, changed: 2))
        let after = try await news.article(item.id, of: ann)
        #expect(after.item.title == "Title 1!" && after.item.isRead && after.item.isStarred)
        #expect(after.item.publishedAt == item.publishedAt)
        #expect(try await news.changedNews(after: version).owners == [ann])
    }

    @Test
    func listsInPagesOfEachState() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let first = try await Self.feed(of: ann, news, folder: "Markets")
        let second = try await Self.feed("https://b.example/rss", of: ann, news)
        _ = try await news.noteFetch(Self.fetch((1...5).map { "a\($0)" }), of: first.feed.id)
        _ = try await news.noteFetch(Self.fetch((1...5).map { "b\($0)" }, title: "B"), of: second.feed.id)
        for state in NewsFilter.State.allCases {
            var (page, titles) = (PageQuery(limit: 3), [String]())
            repeat {
                let list = try await news.items(NewsFilter(state: state), of: ann, page)
                titles += list.items.map(\.title)
                page.cursor = list.next
            } while page.cursor != nil
            #expect(titles.count == (state == .starred ? 0 : 10) && Set(titles).count == titles.count)
        }
        let folder = NewsFilter(folder: "Markets")
        #expect(
            try await news.items(folder, of: ann, PageQuery()).items.map(\.feed)
                == .init(repeating: first.feed.id, count: 5))
        let one = NewsFilter(subscription: second.id)
        let items = try await news.items(one, of: ann, PageQuery()).items
        #expect(items.map(\.title) == (1...5).map { "Title b\($0)" })
        let beside = try await news.neighbours(of: items[1].id, in: one, of: ann)
        #expect(beside.previous == items[0] && beside.next == items[2])
        #expect(try await news.markAllRead(folder, upTo: nil, of: ann) == 5)
        #expect(try await news.feeds(in: .own, of: ann).map(\.unreadCount) == [5, 0])
        // An item that came after the page was read stays unread.
        _ = try await news.noteFetch(Self.fetch(["new"], suffix: "2"), of: second.feed.id)
        let latest = try #require(items.map(\.id).max())
        #expect(try await news.markAllRead(one, upTo: latest, of: ann) == 5)
        #expect(
            try await news.items(NewsFilter(state: .unread), of: ann, PageQuery()).items.map(\.title) == ["Title new2"])
    }

    @Test
    func aFundHasFeedsOfItsOwn() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let inFund = try await Self.feed(in: .fund(fund), of: ann, news)
        _ = try await news.noteFetch(Self.fetch(["1"]), of: inFund.feed.id)
        #expect(try await news.items(NewsFilter(), of: ann, PageQuery()).items.isEmpty)
        #expect(try await news.items(NewsFilter(list: .fund(fund)), of: ann, PageQuery()).items.count == 1)
        #expect(try await news.newsCounts(of: ann) == NewsCounts(own: 0, funds: [fund: 1]))
        let bea = try await bea(harness).id
        await #expect { _ = try await news.feeds(in: .fund(fund), of: bea) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        await #expect { _ = try await Self.feed(in: .fund(fund), of: bea, news) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
    }

    /// The feeds of a fund go with it, and its former owner keeps what they starred.
    @Test
    func feedsOfAFundGoWithIt() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let bea = try await bea(harness).id
        let feed = try await Self.feed(in: .fund(fund), of: ann, news).feed.id
        _ = try await news.noteFetch(Self.fetch(["1", "2"]), of: feed)
        let items = try await news.items(NewsFilter(list: .fund(fund)), of: ann, PageQuery()).items
        _ = try await news.mark([items[0].id], NewsMark(isStarred: true), of: ann)
        _ = try await harness.store.administration.giveFund(fund, to: bea, actor: "test")
        #expect(try await news.items(NewsFilter(list: .fund(fund)), of: bea, PageQuery()).items.count == 2)
        #expect(try await news.newsCounts(of: bea) == NewsCounts(funds: [fund: 2]))
        #expect(try await news.newsCounts(of: ann) == NewsCounts())
        #expect(
            try await news.items(NewsFilter(state: .starred), of: ann, PageQuery()).items.map(\.id) == [items[0].id])
        await #expect { _ = try await news.article(items[1].id, of: ann) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
    }

    @Test
    func starredItemsOutliveFeedAndTime() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let subscription = try await Self.feed(of: ann, news)
        let start: Int64 = 1_000_000_000
        _ = try await news.noteFetch(Self.fetch(["1", "2", "3"], at: start), of: subscription.feed.id)
        let items = try await news.items(NewsFilter(), of: ann, PageQuery()).items
        _ = try await news.mark([items[2].id], NewsMark(isStarred: true), of: ann)
        let later = start + 100 * 86_400
        // Items of the latest document stay, however old they are.
        #expect(try await news.removeOldNews(before: Timestamp(later)) == 0)
        _ = try await news.noteFetch(Self.fetch(["2", "9"], at: later), of: subscription.feed.id)
        #expect(try await news.removeOldNews(before: Timestamp(later - 86_400)) == 1)
        #expect(try await news.items(NewsFilter(), of: ann, PageQuery()).items.count == 3)
        try await news.removeFeed(subscription.id, of: ann)
        #expect(try await news.items(NewsFilter(), of: ann, PageQuery()).items.isEmpty)
        let starred = NewsFilter(state: .starred)
        #expect(try await news.items(starred, of: ann, PageQuery()).items.map(\.id) == [items[2].id])
        #expect(try await news.removeOldNews(before: Timestamp(later)) == 2)
        #expect(try await news.items(starred, of: ann, PageQuery()).items.map(\.id) == [items[2].id])
        #expect(try await news.dueFeeds(at: Timestamp(later + 86_400), atMost: 9, besides: []).isEmpty)
    }

    @Test
    func findsWords() async throws {
        let harness = try await StoreHarness()
        let (news, ann, bea) = (harness.store.news, harness.ann.id, try await bea(harness).id)
        let feed = try await Self.feed(of: ann, news).feed.id
        _ = try await news.noteFetch(Self.fetch(["apple", "pear", "基金"]), of: feed)
        #expect(try await news.indexNews() == 3)
        #expect(try await news.indexNews() == 0)
        for (words, count) in [("apple", 1), ("body", 3), ("基金", 1), ("title pea", 1), ("plum", 0)] {
            let filter = NewsFilter(words: words)
            #expect(try await news.items(filter, of: ann, PageQuery()).items.count == count, "\(words)")
            #expect(try await news.items(filter, of: bea, PageQuery()).items.isEmpty)
        }
        // Mail and files have hits of their own.
        #expect(try await harness.store.library.search(SearchQuery(text: "apple"), of: ann).items.isEmpty)
        // A changed item is found by its new words alone.
        _ = try await news.noteFetch(Self.fetch(["apple"], suffix: " cherry"), of: feed)
        while try await news.indexNews() > 0 {}
        #expect(try await news.items(NewsFilter(words: "cherry"), of: ann, PageQuery()).items.count == 1)
        var (page, found) = (PageQuery(limit: 1), 0)
        repeat {
            let list = try await news.items(NewsFilter(words: "body"), of: ann, page)
            found += list.items.count
            page.cursor = list.next
        } while page.cursor != nil
        #expect(found == 3)
    }

    @Test
    func administratorsOfferAndForbid() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let new = NewNewsFeed(address: try Self.address("https://a.example/f"), ownTitle: "A", folder: "F")
        let offered = try await news.offerFeed(new, by: "ann@example.com")
        #expect(try await news.offeredFeeds() == [offered] && offered.title == "A" && offered.folder == "F")
        try await news.setForbiddenHosts([" Bad.example ", ""], by: "ann@example.com")
        #expect(try await news.forbiddenHosts() == ["bad.example"])
        for text in ["https://bad.example/x", "https://www.bad.example/x"] {
            await #expect("\(text)") { _ = try await Self.feed(text, of: ann, news) } throws: {
                ($0 as? StoreError)?.problem == .newsForbidden
            }
        }
        _ = try await Self.feed("https://notbad.example/x", of: ann, news)
        await #expect { try await news.setForbiddenHosts(["not a host"], by: "x") } throws: {
            ($0 as? StoreError)?.problem == .newsHost
        }
        try await news.withdrawFeed(offered.id, by: "ann@example.com")
        #expect(try await news.offeredFeeds().isEmpty)
        #expect(try await news.allFeeds(PageQuery(limit: 1)).items.map(\.address) == ["https://notbad.example/x"])
    }

    @Test
    func failuresAreKeptAndTold() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await Self.feed(of: ann, news).feed.id
        for count in 1...3 {
            let failure = FeedFetch(
                outcome: .failed(.server, detail: "500"), at: Timestamp(Int64(count)), nextAt: Timestamp(9),
                interval: .seconds(60))
            _ = try await news.noteFetch(failure, of: feed)
            #expect(try await news.failingFeeds(atMost: 5).count == (count == 3 ? 1 : 0))
        }
        #expect(try await news.failingFeeds(atMost: 5).first?.health.detail == "500")
        let unchanged = FeedFetch(outcome: .unchanged, at: Timestamp(9), nextAt: Timestamp(99), interval: .seconds(90))
        _ = try await news.noteFetch(unchanged, of: feed)
        #expect(try await news.failingFeeds(atMost: 5).isEmpty)
        #expect(try await news.nextDueFeed(at: Timestamp(1)) == Timestamp(99))
        let gone = FeedFetch(
            outcome: .failed(.gone, detail: nil), at: Timestamp(99), nextAt: nil, interval: .seconds(90))
        _ = try await news.noteFetch(gone, of: feed)
        #expect(try await news.nextDueFeed(at: Timestamp(1)) == nil)
        #expect(try await news.failingFeeds(atMost: 5).count == 1)
        // A feed that a user adds again is tried again.
        _ = try await Self.feed(of: ann, news)
        #expect(try await news.nextDueFeed(at: Timestamp(1)) != nil)
    }
}
