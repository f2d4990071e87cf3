internal import Dispatch
package import FundCore

extension SQLNewsStore {
    package func newsLease() async throws -> (any MailboxLease)? {
        try await connection.running("take the fetching of feeds") { [connection] in
            try connection.leases.take(.news, waitingUpTo: .zero)
        }
    }

    package func dueFeeds(
        at now: Timestamp, atMost count: Int, besides others: Set<NewsFeed.ID>
    ) async throws -> [DueFeed] {
        try await connection.reading("find due feeds") { db in
            try NewsFeedRows(db: db).dueFeeds(
                where: "\(NewsFeedRows.isDue) AND NOT feed.id \(SQL.isAmong("?3"))",
                [now, now + NewsLimits.longestPause, SQL.list(others.map(\.rawValue).sorted())], atMost: count)
        }
    }

    package func nextDueFeed(at now: Timestamp) async throws -> Timestamp? {
        try await connection.reading("find the next due feed") { db in
            let isListed = "feed.next_at IS NOT NULL AND \(NewsFeedRows.isRead)"
            let isAhead = try db.exists(
                "SELECT 1 FROM news_feed AS feed WHERE feed.next_at > ? AND \(isListed)",
                [now + NewsLimits.longestPause])
            let next: Timestamp? = try db.value(
                "SELECT feed.next_at FROM news_feed AS feed WHERE \(isListed) ORDER BY feed.next_at LIMIT 1")
            return isAhead ? next.map { min($0, now) } : next
        }
    }

    package func dueFeed(_ address: NewsAddress) async throws -> DueFeed? {
        try await connection.reading("find a feed") { db in
            try NewsFeedRows(db: db).dueFeeds(where: "feed.address = ?1", [address.text], atMost: 1).first
        }
    }

    /// Whether people should look after a feed, with the two arguments that it takes.
    private static let isFailing = "feed.problem IS NOT NULL AND (feed.failures >= ? OR feed.problem = ?)"
    private static var failingArguments: SQLArguments {
        [NewsFeedHealth.failuresUntilTold, NewsProblem.gone.rawValue]
    }

    package func failingFeeds(atMost count: Int) async throws -> [NewsFeed] {
        try await connection.reading("find failing feeds") { db in
            try NewsFeedRows(db: db).feeds(
                where: """
                    \(Self.isFailing) AND \(NewsFeedRows.isRead) ORDER BY feed.failures DESC, feed.address LIMIT ?
                    """, Self.failingArguments + [count])
        }
    }

    package func newsFigures(at now: Timestamp) async throws -> NewsFigures {
        try await connection.reading("count feeds") { db in
            func count(_ condition: String, _ arguments: SQLArguments = []) throws -> Int {
                try db.value(
                    "SELECT count(*) FROM news_feed AS feed WHERE \(condition) AND \(NewsFeedRows.isRead)", arguments)
                    ?? 0
            }
            let due: Timestamp? = try db.value(
                """
                SELECT feed.next_at FROM news_feed AS feed WHERE feed.next_at <= ? AND \(NewsFeedRows.isRead)
                ORDER BY feed.next_at LIMIT 1
                """, [now])
            return NewsFigures(
                feeds: try count("true"), failingFeeds: try count(Self.isFailing, Self.failingArguments),
                items: try db.value("SELECT count(*) FROM news_item") ?? 0, behind: due.map { now - $0 } ?? .zero)
        }
    }

    package func forbiddenSites() async throws -> ForbiddenSites {
        try await connection.reading("list forbidden sites") { try NewsFeedRows(db: $0).forbiddenSites() }
    }

    @discardableResult
    package func noteFetch(_ result: FeedFetch, of feed: NewsFeed.ID) async throws -> NewsFetchCounts {
        let changes = connection.queues.changes
        let operation = "keep news"
        // Excerpts take time: they are made outside of the transaction.
        let items = await connection.queues.shared.run { () -> [FetchedItem] in
            guard case .changed(let parsed, _, _) = result.outcome else { return [] }
            return parsed.items.map(FetchedItem.init)
        }
        if let address = result.movedTo, try await moves(feed, to: address, at: result.at) { return NewsFetchCounts() }
        let counts = try await connection.writing(operation, on: changes) { db in
            try NewsFetchRows(db: db, feed: feed, result: result).store(items)
        }
        if counts != NewsFetchCounts() { try await remove(NewsExcess(feed: feed)) }
        return counts
    }

    /// Has the known feed at an address, if there is one, take over the items and lists of a feed that moved there for
    /// good. That one is fetched next, for what has come meanwhile. Returns whether there is one.
    private func moves(_ feed: NewsFeed.ID, to address: NewsAddress, at now: Timestamp) async throws -> Bool {
        while true {
            let isDone = try await connection.writing("move a feed", on: connection.queues.changes) { db in
                try MovedNewsFeed(feed, to: address, db)?.moveSome(at: now)
            }
            guard let isDone else { return false }
            if isDone { return true }
        }
    }

    /// Removes what a feed has too much: counted before the transaction, which others wait for.
    func remove(_ excess: NewsExcess) async throws {
        let operation = "remove excess news"
        let items = try await connection.reading(operation, excess.items)
        guard !items.isEmpty else { return }
        try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            try NewsExcess.removeUnstarred(items, db)
        }
    }

    // MARK: Removal

    /// Items of one transaction.
    private static let maxRemoved = 500

    package func removeOldNews(before time: Timestamp) async throws -> Int {
        let operation = "remove old news"
        let isStarred = "EXISTS (SELECT 1 FROM news_entry WHERE item_id = item.id AND is_starred = 1)"
        let isLatest = "item.seen_at = (SELECT document_at FROM news_feed WHERE id = item.feed_id)"
        return try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            try db.execute(
                """
                DELETE FROM news_subscription WHERE fund_id <> 0
                    AND NOT EXISTS (SELECT 1 FROM fund WHERE fund.id = news_subscription.fund_id)
                """)
            let isUnread = "NOT EXISTS (SELECT 1 FROM news_subscription WHERE feed_id = item.feed_id)"
            let found: [NewsItem.ID] = try db.values(
                """
                SELECT item.id FROM news_item AS item WHERE NOT \(isStarred)
                    AND (\(isUnread) OR (item.seen_at < ? AND NOT \(isLatest))) LIMIT \(Self.maxRemoved)
                """, [time])
            try NewsExcess.remove(found, db)
            try db.execute(
                """
                DELETE FROM news_feed WHERE NOT EXISTS (SELECT 1 FROM news_subscription WHERE feed_id = news_feed.id)
                    AND NOT EXISTS (SELECT 1 FROM news_item WHERE feed_id = news_feed.id)
                """)
            return found.count
        }
    }
}
