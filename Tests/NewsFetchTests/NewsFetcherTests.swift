import Foundation
import FundCore
import FundStore
import MailConnection
import Synchronization
import TestSupport
import Testing

@testable import NewsFetch

/// The schedule over a store, with servers of its own.
struct NewsFetcherTests {
    /// Reads documents of a line for each item; `page` lists a feed, `break` breaks the reader.
    private struct LineParser: FeedParser {
        func readFeed(_ document: FeedDocument) async throws -> FeedReading? {
            let lines = String(decoding: document.bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            switch lines.first {
            case "break": return nil
            case "page":
                let found = NewsAddress(document.address ?? "")?.resolving("/feed")
                return .page(found.map { [FoundFeed(address: $0, title: "Found")] } ?? [])
            case "feed":
                return .feed(
                    ParsedFeed(title: "Title", items: lines.dropFirst().map { ParsedFeedItem(key: $0, title: $0) }))
            default: return .other
            }
        }
    }

    private final class Harness: Sendable {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "newsfetch"))"
        let store: FundStore
        let users: [User.ID]

        init() async throws {
            try TestFile.makeDirectory(folder)
            store = try FundStore.open(at: folder + "/store", mode: .create)
            var users: [User.ID] = []
            for name in ["ann", "bea"] {
                users.append(
                    try await store.administration.addUser(
                        email: "\(name)@example.com", name: nil, isAdministrator: false, addresses: [], actor: "test"
                    ).id)
            }
            self.users = users
        }

        deinit {
            try? store.close()
            try? FileManager.default.removeItem(atPath: folder)
        }

        func subscribe(_ address: String, _ user: Int = 0) async throws {
            let address = try #require(NewsAddress(address))
            _ = try await store.news.addFeeds([NewNewsFeed(address: address)], to: .own, of: users[user])
        }

        func fetcher(
            _ web: LoopbackWeb, observe: @escaping @Sendable (NewsEvent) -> Void = { _ in }
        ) -> NewsFetcher {
            NewsFetcher(
                store.news, LineParser(), reach: web.reach(), cancellation: Cancellation(), jitter: { 1 },
                observe: observe)
        }

        func titles(_ user: Int = 0) async throws -> [String] {
            try await store.news.items(NewsFilter(), of: users[user], PageQuery()).items.map(\.title).sorted()
        }

        func health(_ user: Int = 0) async throws -> NewsFeedHealth {
            try #require(try await store.news.feeds(in: .own, of: users[user]).first).feed.health
        }
    }

    @Test
    func oneFetchServesAll() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text("feed\none\ntwo", ("ETag", "\"1\"")) }
        try await harness.subscribe("http://a.example/feed")
        try await harness.subscribe("http://a.example/feed", 1)
        let reports = try await harness.fetcher(web).fetchDue()
        #expect(reports.map(\.counts) == [NewsFetchCounts(new: 2)])
        #expect(web.requests.count == 1)
        for user in 0...1 { #expect(try await harness.titles(user) == ["one", "two"]) }
        // Words are found at once, and nothing is due for now.
        let found = try await harness.store.news.items(NewsFilter(words: "two"), of: harness.users[1], PageQuery())
        #expect(found.items.map(\.title) == ["two"])
        #expect(try await harness.fetcher(web).fetchDue().isEmpty)
    }

    @Test
    func bytesThatAreKnownAreNotReadAgain() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text("feed\none") }
        try await harness.subscribe("http://a.example/feed")
        let fetcher = harness.fetcher(web)
        _ = try await fetcher.fetchDue()
        let first = try await harness.health()
        let later = Timestamp.now + .seconds(90_000)
        let reports = try await fetcher.fetchDue(at: later)
        #expect(reports.map(\.result.outcome) == [.unchanged])
        #expect(try await harness.health().nextAt ?? Timestamp(0) > first.nextAt ?? Timestamp(.max))
    }

    @Test
    func failuresPauseAndGoneEnds() async throws {
        let harness = try await Harness()
        let status = Status()
        let web = try LoopbackWeb { _ in
            LoopbackWeb.Answer(status: status.value.withLock { $0 }, fields: [("Retry-After", "9000")])
        }
        try await harness.subscribe("http://a.example/feed")
        let fetcher = harness.fetcher(web)
        let start = Timestamp.now
        _ = try await fetcher.fetchDue()
        let health = try await harness.health()
        #expect(health.problem == .busy && health.detail == "status 503" && health.failureCount == 1)
        #expect((health.nextAt ?? Timestamp(0)) - start >= .seconds(9000))
        status.value.withLock { $0 = 410 }
        _ = try await fetcher.fetchDue(at: start + .seconds(10_000))
        let ended = try await harness.health()
        #expect(ended.problem == .gone && ended.nextAt == nil)
        #expect(try await fetcher.fetchDue(at: start + .seconds(1_000_000)).isEmpty)
    }

    private final class Status: Sendable {
        let value = Mutex(503)
    }

    @Test(arguments: [("other", NewsProblem.noFeed), ("page", .noFeed), ("break", .unreadable)])
    func whatIsNoFeedIsAFailure(text: String, problem: NewsProblem) async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text(text) }
        try await harness.subscribe("http://a.example/feed")
        _ = try await harness.fetcher(web).fetchDue()
        #expect(try await harness.health().problem == problem)
    }

    @Test
    func feedsThatMovedForGoodAreAskedThere() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { request in
            request.address.hasPrefix("http://a.") ? .redirect(301, "http://b.example/new") : .text("feed\none")
        }
        try await harness.subscribe("http://a.example/feed")
        _ = try await harness.fetcher(web).fetchDue()
        let feed = try #require(try await harness.store.news.feeds(in: .own, of: harness.users[0]).first).feed
        #expect(feed.address == "http://b.example/new" && feed.title == "Title")
    }

    @Test
    func forbiddenHostsAreNotAsked() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text("feed\none") }
        try await harness.subscribe("http://a.example/feed")
        try await harness.store.news.setForbiddenHosts(["example"], by: "test")
        _ = try await harness.fetcher(web).fetchDue()
        #expect(web.requests.isEmpty)
        #expect(try await harness.health().problem == .forbidden)
    }

    /// Feeds of one person that are never answered hold up neither another person's, nor searches.
    @Test
    func hostsThatNeverAnswerHoldUpNoOther() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb {
            $0.address.contains("slow") ? .hangs : .text("feed\none")
        }
        for number in 1...20 { try await harness.subscribe("http://slow\(number).example/feed") }
        try await harness.subscribe("http://quick.example/feed", 1)
        let (events, told) = AsyncStream.makeStream(of: NewsEvent.self)
        let cancellation = Cancellation()
        let fetcher = NewsFetcher(
            harness.store.news, LineParser(), reach: web.reach(), cancellation: cancellation, jitter: { 1 },
            observe: { told.yield($0) })
        let running = Task { try await fetcher.fetchDue() }
        var iterator = events.makeAsyncIterator()
        for round in 1...2 {
            guard case .fetched(let report)? = await iterator.next() else { break }
            #expect(report.address == "http://quick\(round == 1 ? "" : "2").example/feed")
            #expect(report.counts == NewsFetchCounts(new: 1))
            // Added while the others wait for their servers.
            if round == 1 {
                try await harness.subscribe("http://quick2.example/feed", 1)
                fetcher.hurry()
            }
        }
        let page = try #require(NewsAddress("http://quick.example/"))
        #expect(try await fetcher.findFeeds(at: page).count == 1)
        #expect(web.requests.count { $0.address.contains("slow") } <= 4)
        cancellation.cancel()
        _ = try await running.value
    }

    @Test
    func forbiddenAddressesAreNotAskedInAnySpelling() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { request in
            request.address.hasPrefix("http://a.") ? .redirect(302, "http://0x08080808/") : .text("feed\none")
        }
        try await harness.store.news.setForbiddenHosts(["8.8.8.8", "[2001:db8:0::1]"], by: "test")
        #expect(try await harness.store.news.forbiddenHosts() == ["2001:db8::1", "8.8.8.8"])
        let fetcher = harness.fetcher(web)
        for text in ["a.example", "134744072", "[::ffff:8.8.8.8]", "[64:ff9b::808:808]", "[2001:db8::0:1]", "8.8.2056"]
        {
            let address = try #require(NewsAddress("http://\(text)/"))
            await #expect("\(text)") { _ = try await fetcher.findFeeds(at: address) } throws: {
                ($0 as? NewsError)?.problem == .forbidden
            }
        }
        #expect(web.requests.map(\.address) == ["http://a.example/"])
        // A name that leads to a forbidden address: here all names lead to this machine.
        let named = try #require(NewsAddress("http://named.example/feed"))
        #expect(try await fetcher.findFeeds(at: named).count == 1)
        try await harness.store.news.setForbiddenHosts(["127.1"], by: "test")
        await #expect { _ = try await fetcher.findFeeds(at: named) } throws: {
            ($0 as? NewsError)?.problem == .forbidden
        }
        #expect(web.requests.count == 2)
    }

    @Test
    func addressesThatTellThemselvesAreJudged() async throws {
        let harness = try await Harness()
        let fetcher = NewsFetcher(harness.store.news, LineParser(), cancellation: Cancellation())
        for (text, mayAsk) in [("10.0.0.1", false), ("[::1]", false), ("8.8.8.8", true), ("name.example", true)] {
            #expect(fetcher.mayAsk(try #require(NewsAddress("http://\(text)/"))) == mayAsk, "\(text)")
        }
    }

    @Test
    func findsFeedsForPeople() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb {
            .text($0.address.hasSuffix("/feed") ? "feed\none" : $0.address.hasSuffix("/x") ? "x" : "page")
        }
        let fetcher = harness.fetcher(web)
        let page = try #require(NewsAddress("http://a.example/"))
        let feed = try #require(NewsAddress("http://a.example/feed"))
        #expect(try await fetcher.findFeeds(at: page) == [FoundFeed(address: feed, title: "Found")])
        #expect(try await fetcher.findFeeds(at: feed) == [FoundFeed(address: feed, title: "Title")])
        let other = try #require(NewsAddress("http://a.example/x"))
        await #expect { _ = try await fetcher.findFeeds(at: other) } throws: { ($0 as? NewsError)?.problem == .noFeed }
    }

    private struct BrokenParser: FeedParser {
        func readFeed(_ document: FeedDocument) async throws -> FeedReading? { nil }
    }

    /// Searches have a parser of their own.
    @Test
    func searchesDoNotNeedTheParserOfTheSchedule() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text("feed\none") }
        func fetcher(_ parser: any FeedParser, _ searchParser: any FeedParser) -> NewsFetcher {
            NewsFetcher(
                harness.store.news, parser, searchParser: searchParser, reach: web.reach(),
                cancellation: Cancellation(), jitter: { 1 })
        }
        let feed = try #require(NewsAddress("http://a.example/feed"))
        #expect(try await fetcher(BrokenParser(), LineParser()).findFeeds(at: feed).count == 1)
        try await harness.subscribe("http://a.example/feed")
        try await fetcher(LineParser(), BrokenParser()).fetchDue()
        #expect(try await harness.titles() == ["one"])
    }

    /// The loop fetches what was just added, and one process at a time has it.
    @Test
    func theLoopFetchesWhatIsAdded() async throws {
        let harness = try await Harness()
        let web = try LoopbackWeb { _ in .text("feed\none") }
        let (events, told) = AsyncStream.makeStream(of: NewsEvent.self)
        let fetcher = harness.fetcher(web) { told.yield($0) }
        let running = Task { await fetcher.run() }
        try await harness.subscribe("http://a.example/feed")
        fetcher.hurry()
        for await event in events {
            if case .fetched(let report) = event { #expect(report.counts == NewsFetchCounts(new: 1)) }
            break
        }
        #expect(try await harness.store.news.newsLease() == nil)
        running.cancel()
        await running.value
        #expect(try await harness.store.news.newsLease() != nil)
    }
}
