import FundCore
import Testing

@testable import NewsFetch

/// The order in which feeds of one round are fetched.
struct FetchQueueTests {
    private static func feed(
        _ id: Int64, _ host: String? = nil, reader: Int64 = 1, failures: Int = 0
    ) throws -> DueFeed {
        DueFeed(
            id: .init(id), address: try #require(NewsAddress("http://\(host ?? "h\(id)").example/\(id)")),
            validators: FeedValidators(), digest: nil, health: NewsFeedHealth(failureCount: failures),
            interval: .seconds(3600), reader: .init(reader))
    }

    /// A queue that the test changes outside of its expectations.
    private struct Taking {
        var queue: FetchQueue
        /// Feeds that could start at the latest call.
        var ids: [Int64] = []
        var hasLeft = false

        init(places: Int) { queue = FetchQueue(places: places) }

        mutating func wait(_ feeds: [DueFeed]) { hasLeft = queue.replaceWaiting(with: feeds, isAll: feeds.count < 5) }

        mutating func take() {
            ids = []
            while let feed = queue.next() { ids.append(feed.id.rawValue) }
        }
    }

    @Test
    func onePersonHasHalfOfThePlaces() throws {
        var taking = Taking(places: 4)
        let feeds =
            try (1...9).map { try Self.feed($0) } + [try Self.feed(10, reader: 2), try Self.feed(11, reader: 2)]
        taking.wait(feeds)
        #expect(!taking.hasLeft)
        taking.take()
        #expect(taking.ids == [1, 10, 2, 11])
        // A third person comes before a person who had a turn.
        taking.wait(try (3...9).map { try Self.feed($0) } + [try Self.feed(12, reader: 3)])
        taking.queue.end(feeds[0], after: .seconds(20))
        taking.take()
        #expect(taking.ids == [12])
        #expect(taking.queue.taken == Set([1, 2, 10, 11, 12].map { NewsFeed.ID($0) }))
    }

    /// The register is read anew when no feed waits, when some were added, and when none is under way.
    @Test
    func whatWaitsIsReadAnewAtNeed() throws {
        var taking = Taking(places: 4)
        #expect(!taking.queue.isFresh())
        taking.wait(try (1...3).map { try Self.feed($0) })
        #expect(!taking.queue.isFresh())
        taking.take()
        #expect(taking.ids == [1, 2] && taking.queue.isFresh())
        #expect(!taking.queue.isFresh(at: .now + .seconds(60)))
        taking.queue.expire()
        #expect(!taking.queue.isFresh())
        // The register has more than it gave.
        taking.wait(try (3...7).map { try Self.feed($0, reader: $0) })
        #expect(taking.queue.isFresh())
        taking.take()
        #expect(taking.ids == [3, 4] && taking.queue.isFresh())
        taking.wait([])
        #expect(taking.queue.isFresh())
    }

    /// Where one host alone is asked, none is under way after each fetch: what was read is used up first.
    @Test
    func theFeedsOfOneHostFollowEachOther() throws {
        var taking = Taking(places: 4)
        let feeds = try (1...3).map { try Self.feed($0, "one") }
        taking.wait(feeds)
        for (index, feed) in feeds.enumerated() {
            taking.take()
            #expect(taking.ids == [feed.id.rawValue])
            taking.queue.end(feed, after: .milliseconds(1))
            #expect(taking.queue.isFresh() == (index < 2))
            #expect(!taking.queue.isFresh(at: .now + .seconds(60)))
        }
        // A host whose time is used up has others read.
        taking.wait(try (4...5).map { try Self.feed($0, "one") })
        taking.take()
        taking.queue.end(try Self.feed(4, "one"), after: FetchQueue.hostBudget)
        #expect(!taking.queue.isFresh())
    }

    @Test
    func feedsThatFailedHaveHalfOfThePlacesAndComeLast() throws {
        var taking = Taking(places: 4)
        let failing = try (1...8).map { try Self.feed($0, reader: $0, failures: 1) }
        taking.wait(failing + [try Self.feed(9, reader: 9)])
        taking.take()
        #expect(taking.ids == [9, 1, 2])
    }

    @Test
    func aHostHasOneFetchAtATimeAndABudget() throws {
        var taking = Taking(places: 8)
        let feeds = try (1...4).map { try Self.feed($0, "one", reader: $0) }
        taking.wait(feeds)
        taking.take()
        #expect(taking.ids == [1])
        taking.queue.end(feeds[0], after: FetchQueue.hostBudget / 2)
        taking.take()
        #expect(taking.ids == [2])
        taking.queue.end(feeds[1], after: FetchQueue.hostBudget / 2)
        taking.take()
        #expect(taking.ids == [] && taking.queue.isIdle && !taking.queue.hasLeftOvers)
        taking.wait(feeds + [try Self.feed(5)])
        #expect(taking.hasLeft && taking.queue.hasLeftOvers && taking.queue.taken.count == 4)
        taking.take()
        #expect(taking.ids == [5])
    }
}
