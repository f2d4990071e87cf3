import FundCore

/// The feeds of all users within one transaction.
struct NewsFeedRows {
    /// Interval of a feed that was never fetched, in seconds.
    static let firstInterval: Int64 = 3600

    let db: Database

    /// The feed of an address, which is added where it is not there, and fetched again where it had ended.
    func feed(of new: NewNewsFeed, now: Timestamp) throws -> NewsFeed.ID {
        let known: NewsFeed.ID? = try db.value("SELECT id FROM news_feed WHERE address = ?", [new.address.text])
        if let known {
            try revive(known, now: now)
            return known
        }
        // Its own title comes with its first document: a text of one person is not shown to others.
        return try db.insert(
            "INSERT INTO news_feed (address, title, interval, next_at) VALUES (?, ?, ?, ?)",
            [new.address.text, new.address.host, Self.firstInterval, now])
    }

    /// Has a feed fetched next that had ended or failed.
    private func revive(_ feed: NewsFeed.ID, now: Timestamp) throws {
        try db.execute(
            """
            UPDATE news_feed SET next_at = ?, failures = 0, problem = NULL, detail = NULL
            WHERE id = ? AND (next_at IS NULL OR problem IS NOT NULL)
            """, [now, feed])
    }

    /// Has a feed fetched next.
    func hurry(_ feed: NewsFeed.ID, now: Timestamp) throws {
        try revive(feed, now: now)
        try db.execute("UPDATE news_feed SET next_at = ?1 WHERE id = ?2 AND next_at > ?1", [now, feed])
    }

    func feeds(where condition: String, _ arguments: SQLArguments) throws -> [NewsFeed] {
        try db.rows("SELECT \(NewsFeed.columns) FROM news_feed AS feed WHERE \(condition)", arguments) {
            NewsFeed(row: $0, from: 0)
        }
    }

    /// Whether a list that is shown has the feed, of a user who is not disabled.
    static let isRead = """
        EXISTS (SELECT 1 FROM news_subscription AS subscription JOIN "user" ON "user".id = subscription.user_id
            WHERE subscription.feed_id = feed.id AND "user".is_disabled = 0 AND \(NewsListRows.isShown))
        """

    /// Whether a feed is due at `?1`; `?2` is the longest pause from then.
    static let isDue = "(feed.next_at <= ?1 OR feed.next_at > ?2)"

    /// Feeds of a condition as `NewsRegister.dueFeeds` orders them. A feed has the best turn of those who have it.
    func dueFeeds(where condition: String, _ arguments: SQLArguments, atMost count: Int) throws -> [DueFeed] {
        let rows = try db.rows(
            """
            WITH turn AS MATERIALIZED (
                SELECT feed.id AS feed_id, subscription.user_id AS reader, row_number() OVER (
                    PARTITION BY subscription.user_id, feed.failures > 0 ORDER BY feed.next_at, feed.id) AS number
                FROM news_feed AS feed \(SQL.thenJoin) news_subscription AS subscription
                    ON subscription.feed_id = feed.id
                JOIN "user" ON "user".id = subscription.user_id
                WHERE "user".is_disabled = 0 AND \(NewsListRows.isShown) AND \(condition)
            ), best AS (
                SELECT feed_id, reader, number,
                    row_number() OVER (PARTITION BY feed_id ORDER BY number, reader) AS place
                FROM turn
            )
            SELECT \(NewsFeed.columns), feed.etag, feed.last_modified, feed.interval, feed.digest, best.reader
            FROM best JOIN news_feed AS feed ON feed.id = best.feed_id WHERE best.place = 1
            ORDER BY feed.failures > 0, best.number, feed.next_at, feed.id LIMIT \(count)
            """, arguments
        ) { row in
            (
                feed: NewsFeed(row: row, from: 0), validators: FeedValidators(etag: row[10], lastModified: row[11]),
                interval: row[12] as Int64, digest: row[13] as ContentDigest?, reader: row[14] as User.ID
            )
        }
        return rows.compactMap { row in
            // An address of a version of this program that allowed more is not fetched.
            guard let address = NewsAddress(row.feed.address) else { return nil }
            return DueFeed(
                id: row.feed.id, address: address, validators: row.validators, digest: row.digest,
                health: row.feed.health, interval: .seconds(row.interval), reader: row.reader)
        }
    }

    // MARK: Forbidden hosts

    func forbiddenHosts() throws -> [String] { try db.values("SELECT host FROM news_forbidden ORDER BY host") }

    func forbiddenSites() throws -> ForbiddenSites { ForbiddenSites(try forbiddenHosts()) }

    func checkAllowed(_ address: NewsAddress, _ operation: String) throws {
        guard try forbiddenSites().contains(host: address.host) else { return }
        throw StoreError(
            operation, InputProblem(.newsForbidden, "the administrators do not allow feeds of \(address.host)"))
    }
}
