import FundCore
import TestSupport
import Testing

@testable import FundStore

/// The limits of lists and feeds in rows, and what one person's feeds are to others.
struct NewsLimitsTests {
    private func addUser(_ name: String, _ harness: StoreHarness) async throws -> User.ID {
        try await harness.store.administration.addUser(
            email: "\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
        ).id
    }

    private func addFeeds(
        _ numbers: ClosedRange<Int>, _ host: String, of user: User.ID, _ news: SQLNewsStore, leavesOut: Bool = false
    ) async throws -> [NewsSubscription] {
        let feeds = try numbers.map { NewNewsFeed(address: try NewsStoreTests.address("https://\(host)/\($0)")) }
        return try await news.addFeeds(feeds, to: .own, of: user, leavesOut: leavesOut)
    }

    private func bytes(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test
    func peopleTakeTurnsAndFailuresComeLast() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let bea = try await addUser("bea", harness)
        let many = try await addFeeds(1...50, "a.example", of: ann, news)
        let few = try await addFeeds(1...2, "b.example", of: bea, news)
        let due = try await news.dueFeeds(at: .now, atMost: 4, besides: [])
        #expect(Set(due.prefix(2).map(\.reader)) == [ann, bea] && due.count == 4)
        #expect(Set(due.map(\.reader)) == [ann, bea] && due.count { $0.reader == bea } == 2)
        // A feed of both is at the turn of the one who has fewer before it.
        let both = try await addFeeds(50...50, "a.example", of: bea, news)
        let third = try await news.dueFeeds(at: .now, atMost: 6, besides: Set(few.map(\.feed.id)))
        #expect(third.contains { $0.id == both[0].feed.id && $0.reader == bea })
        let failure = FeedFetch(
            outcome: .failed(.server, detail: nil), at: Timestamp(1), nextAt: Timestamp(2), interval: .seconds(60))
        _ = try await news.noteFetch(failure, of: many[0].feed.id)
        let all = try await news.dueFeeds(at: .now, atMost: 100, besides: [])
        #expect(all.count == 52 && all.last?.id == many[0].feed.id)
    }

    @Test
    func aClockThatWasWrongPutsNoFeedToSleep() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await NewsStoreTests.feed(of: ann, news).feed.id
        let (now, years): (Int64, Int64) = (1_000_000_000, 1_300_000_000)
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2"], at: years), of: feed)
        #expect(try await news.nextDueFeed(at: Timestamp(now)) == Timestamp(now))
        #expect(try await news.dueFeeds(at: Timestamp(now), atMost: 9, besides: []).map(\.id) == [feed])
        #expect(try await news.dueFeeds(at: Timestamp(years), atMost: 9, besides: []).isEmpty)
        let version = try await news.newsVersion(of: ann)
        let unchanged = FeedFetch(
            outcome: .unchanged, at: Timestamp(now), nextAt: Timestamp(now + 3600), interval: .seconds(3600))
        _ = try await news.noteFetch(unchanged, of: feed)
        let items = try await news.items(NewsFilter(), of: ann, PageQuery()).items
        #expect(items.count == 2 && items.allSatisfy { $0.publishedAt == Timestamp(now) })
        #expect(try await news.newsVersion(of: ann) > version)
        #expect(try await news.nextDueFeed(at: Timestamp(now)) == Timestamp(now + 3600))
        // Items of the latest document stay; once it is another one, they are as old as they are.
        _ = try await news.noteFetch(NewsStoreTests.fetch(["3"], at: now + 3600, suffix: "!"), of: feed)
        #expect(try await news.removeOldNews(before: Timestamp(now + 1)) == 2)
    }

    @Test
    func aFeedKeepsWhatFitsItsLimits() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await NewsStoreTests.feed(of: ann, news).feed.id
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2", "3"]), of: feed)
        _ = try await news.noteFetch(NewsStoreTests.fetch(["4", "5"], at: 1_000_003_600, suffix: "!"), of: feed)
        func titles() async throws -> [String] {
            try await news.items(NewsFilter(), of: ann, PageQuery()).items.map(\.title).sorted()
        }
        let oldest = try #require(
            try await news.items(NewsFilter(), of: ann, PageQuery()).items.first { $0.title == "Title 3" })
        _ = try await news.mark([oldest.id], NewsMark(isStarred: true), of: ann)
        try await news.remove(NewsExcess(feed: feed, maxItems: 3))
        #expect(try await titles() == ["Title 1", "Title 3", "Title 4!", "Title 5!"])
        // "<p>Body of 4!" has 13 bytes, and is not counted in characters.
        try await news.remove(NewsExcess(feed: feed, maxBytes: 30))
        #expect(try await titles() == ["Title 3", "Title 4!", "Title 5!"])
    }

    /// The limit of bytes holds with each fetch.
    @Test
    func aFetchRemovesWhatIsTooMuch() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await NewsStoreTests.feed(of: ann, news).feed.id
        let perFetch = 100
        let html = bytes(NewsLimits.maxBodyBytes)
        for fetch in 1...5 {
            let items = (1...perFetch).map { ParsedFeedItem(key: "\(fetch)-\($0)", title: "\(fetch)", html: html) }
            let result = FeedFetch(
                outcome: .changed(
                    ParsedFeed(title: "Feed", items: items), FeedValidators(), digest: .of(Array("\(fetch)".utf8))),
                at: Timestamp(Int64(fetch)), nextAt: Timestamp(9), interval: .seconds(3600))
            _ = try await news.noteFetch(result, of: feed)
        }
        let kept = try await news.newsCounts(of: ann).own
        #expect(kept == NewsLimits.maxFeedBytes / NewsLimits.maxBodyBytes)
    }

    /// Stars keep items for good, so that their number is bounded.
    @Test
    func aPersonHasManyStarsAndNoMore() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await NewsStoreTests.feed(of: ann, news).feed.id
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2"]), of: feed)
        let items = try await news.items(NewsFilter(), of: ann, PageQuery()).items.map(\.id)
        try await news.connection.writing("test") { db in
            let first = try db.value("SELECT max(id) + 1 FROM news_item") ?? Int64(0)
            try db.execute(
                """
                WITH RECURSIVE number(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM number WHERE n < ?2 - 2)
                INSERT INTO news_item
                    (id, feed_id, key, digest, title, excerpt, published_at, seen_at, enclosures, html)
                SELECT ?1 + n, ?3, 'k' || n, zeroblob(32), '', '', 0, 0, '', '' FROM number
                """, [first, NewsLimits.maxStars, feed])
            try db.execute(
                """
                INSERT INTO news_entry (user_id, item_id, feed_id, published_at, is_starred)
                SELECT ?1, id, feed_id, 0, 1 FROM news_item WHERE id >= ?2
                """, [ann, first])
        }
        await #expect { try await news.mark(items, NewsMark(isRead: true, isStarred: true), of: ann) } throws: {
            ($0 as? StoreError)?.problem == .tooManyStars
        }
        #expect(try await news.mark([items[0]], NewsMark(isStarred: true), of: ann) == [items[0]])
        // One that is starred can be starred again, and marked otherwise.
        _ = try await news.mark([items[0]], NewsMark(isRead: true, isStarred: true), of: ann)
        await #expect(throws: StoreError.self) { try await news.mark([items[1]], NewsMark(isStarred: true), of: ann) }
        #expect(try await !news.article(items[1], of: ann).item.isRead)
        _ = try await news.mark([items[0]], NewsMark(isStarred: false), of: ann)
        _ = try await news.mark([items[1]], NewsMark(isStarred: true), of: ann)
    }

    @Test
    func tellsOperatorsHowFeedsDo() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feeds = try await addFeeds(1...4, "a.example", of: ann, news).map(\.feed.id)
        let start: Int64 = 1_000_000_000
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1", "2"], at: start), of: feeds[0])
        for (feed, problem) in [(feeds[1], NewsProblem.gone), (feeds[2], .server)] {
            let failed = FeedFetch(
                outcome: .failed(problem, detail: nil), at: Timestamp(start),
                nextAt: problem == .gone ? nil : Timestamp(start + 60), interval: .seconds(60))
            _ = try await news.noteFetch(failed, of: feed)
        }
        try await news.removeFeed(try await news.feeds(in: .own, of: ann).first { $0.feed.id == feeds[3] }!.id, of: ann)
        let figures = try await news.newsFigures(at: Timestamp(start + 100))
        #expect(figures == NewsFigures(feeds: 3, failingFeeds: 1, items: 2, behind: .seconds(40)))
        #expect(try await news.newsFigures(at: Timestamp(start)).behind == .zero)
    }

    @Test
    func feedsOfArchivedFundsRest() async throws {
        let harness = try await StoreHarness()
        let (news, ann, fund) = (harness.store.news, harness.ann.id, harness.fund.id)
        let feed = try await NewsStoreTests.feed(in: .fund(fund), of: ann, news).feed.id
        _ = try await news.noteFetch(NewsStoreTests.fetch(["1"]), of: feed)
        #expect(try await news.newsCounts(of: ann) == NewsCounts(funds: [fund: 1]))
        let later = Timestamp(1_000_000_000 + 7200)
        try await harness.store.connection.writing("archive") { db in
            try db.execute("UPDATE fund SET archived_at = 1 WHERE id = ?", [fund])
        }
        #expect(try await news.newsCounts(of: ann) == NewsCounts())
        await #expect { _ = try await news.feeds(in: .fund(fund), of: ann) } throws: {
            ($0 as? StoreError)?.code == .notFound
        }
        #expect(try await news.dueFeeds(at: later, atMost: 9, besides: []).isEmpty)
        #expect(try await news.nextDueFeed(at: later) == nil)
        try await harness.store.connection.writing("restore") { db in
            try db.execute("UPDATE fund SET archived_at = NULL WHERE id = ?", [fund])
        }
        #expect(try await news.newsCounts(of: ann) == NewsCounts(funds: [fund: 1]))
        #expect(try await news.dueFeeds(at: later, atMost: 9, besides: []).count == 1)
    }

    @Test
    func anImportTakesAsManyAsFit() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        #expect(try await addFeeds(1...999, "a.example", of: ann, news).count == 999)
        await #expect { _ = try await addFeeds(999...1001, "a.example", of: ann, news) } throws: {
            ($0 as? StoreError)?.problem == .tooManyFeeds
        }
        let added = try await addFeeds(999...1002, "a.example", of: ann, news, leavesOut: true)
        #expect(added.map(\.feed.address).sorted() == ["https://a.example/1000", "https://a.example/999"])
        #expect(try await news.feeds(in: .own, of: ann).count == NewsLimits.maxFeeds)
        // One that is there can still be moved.
        let new = NewNewsFeed(address: try NewsStoreTests.address("https://a.example/1"), folder: "F")
        #expect(try await news.addFeeds([new], to: .own, of: ann).map(\.folder) == ["F"])
    }

    /// The name that one person gives a feed is no other's.
    @Test
    func aNameIsThePersonsOwn() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let bea = try await addUser("bea", harness)
        let address = try NewsStoreTests.address("https://a.example/feed")
        let named = try await news.addFeeds([NewNewsFeed(address: address, ownTitle: "Sell now")], to: .own, of: ann)
        #expect(named.map(\.title) == ["Sell now"])
        #expect(
            try await news.addFeeds([NewNewsFeed(address: address)], to: .own, of: bea).map(\.title) == ["a.example"])
    }

    @Test
    func linksHaveNoNameBeforeTheirHost() async throws {
        let harness = try await StoreHarness()
        let (news, ann) = (harness.store.news, harness.ann.id)
        let feed = try await NewsStoreTests.feed(of: ann, news).feed.id
        let item = ParsedFeedItem(
            key: "1", title: "One", link: "https://u:p@a.example/1", html: "",
            enclosures: [NewsEnclosure(address: "https://u:p@a.example/1.mp3")])
        let parsed = ParsedFeed(title: "Feed", siteAddress: "https://u:p@a.example/", items: [item])
        let result = FeedFetch(
            outcome: .changed(parsed, FeedValidators(), digest: .of([1])), at: Timestamp(1), nextAt: Timestamp(9),
            interval: .seconds(3600))
        _ = try await news.noteFetch(result, of: feed)
        let found = try #require(try await news.items(NewsFilter(), of: ann, PageQuery()).items.first)
        let article = try await news.article(found.id, of: ann)
        #expect(article.item.link == "https://a.example/1")
        #expect(article.enclosures.map(\.address) == ["https://a.example/1.mp3"])
        #expect(try await news.feeds(in: .own, of: ann).first?.feed.siteAddress == "https://a.example/")
    }
}
