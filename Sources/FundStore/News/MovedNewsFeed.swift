import FundCore

/// A feed that moved for good to the address of another one, which takes over its items and the lists that have it. In
/// several transactions, since a feed may have many items; the lists go last, so that all of it can begin anew.
struct MovedNewsFeed {
    /// Items of one transaction.
    private static let maxItems = 500

    let db: Database
    let feed: NewsFeed.ID
    let target: NewsFeed.ID

    /// Nil for a feed that has its address for itself.
    init?(_ feed: NewsFeed.ID, to address: NewsAddress, _ db: Database) throws {
        let known: NewsFeed.ID? = try db.value(
            "SELECT id FROM news_feed WHERE address = ? AND id <> ?", [address.text, feed])
        let isThere = try db.exists("SELECT 1 FROM news_feed WHERE id = ?", [feed])
        guard let known, isThere else { return nil }
        (self.db, self.feed, target) = (db, feed, known)
    }

    /// Moves some items, or the lists when there is none. Returns whether that was all.
    func moveSome(at now: Timestamp) throws -> Bool {
        let items = try db.rows(
            """
            SELECT id, (SELECT id FROM news_item AS twin WHERE twin.feed_id = ?2 AND twin.key = news_item.key)
            FROM news_item WHERE feed_id = ?1 ORDER BY news_item.id LIMIT \(Self.maxItems)
            """, [feed, target]
        ) { (id: $0[0] as NewsItem.ID, twin: $0[1] as NewsItem.ID?) }
        for item in items {
            if let twin = item.twin { try unite(item.id, with: twin) } else { try move(item.id) }
        }
        guard items.isEmpty else { return false }
        try moveLists()
        try NewsFeedRows(db: db).hurry(target, now: now)
        return true
    }

    /// Gives the marks of an item to the one of the same key.
    private func unite(_ item: NewsItem.ID, with twin: NewsItem.ID) throws {
        try db.execute(
            """
            INSERT INTO news_entry (user_id, item_id, feed_id, published_at, is_read, is_starred)
            SELECT entry.user_id, twin.id, twin.feed_id, twin.published_at, entry.is_read, entry.is_starred
            FROM news_entry AS entry JOIN news_item AS twin ON twin.id = ?2 WHERE entry.item_id = ?1
            ON CONFLICT (user_id, item_id) DO UPDATE SET
                is_read = \(SQL.greatest("news_entry.is_read", "excluded.is_read")),
                is_starred = \(SQL.greatest("news_entry.is_starred", "excluded.is_starred"))
            """, [item, twin])
        try NewsExcess.remove([item], db)
    }

    /// Moves an item that the other feed does not have. It counts as none of its latest document: people who add the
    /// feed later get what its own site says alone.
    private func move(_ item: NewsItem.ID) throws {
        try db.execute(
            """
            UPDATE news_item SET feed_id = ?2, seen_at = \(SQL.least("seen_at", "coalesce(latest.at - 1, seen_at)"))
            FROM (SELECT document_at AS at FROM news_feed WHERE id = ?2) AS latest WHERE news_item.id = ?1
            """, [item, target])
        try db.execute("UPDATE news_entry SET feed_id = ? WHERE item_id = ?", [target, item])
    }

    /// Puts the other feed into the lists, with the names and folders that they have, and removes this one.
    private func moveLists() throws {
        let users: [User.ID] = try db.values("SELECT DISTINCT user_id FROM news_subscription WHERE feed_id = ?", [feed])
        try db.execute(
            """
            DELETE FROM news_subscription WHERE feed_id = ?1 AND EXISTS (SELECT 1 FROM news_subscription AS other
                WHERE other.user_id = news_subscription.user_id AND other.fund_id = news_subscription.fund_id
                    AND other.feed_id = ?2)
            """, [feed, target])
        try db.execute("UPDATE news_subscription SET feed_id = ? WHERE feed_id = ?", [target, feed])
        for user in users { try NewsListRows(db: db, user: user).addItems(of: target) }
        try db.execute("DELETE FROM news_feed WHERE id = ?", [feed])
        try NewsListRows.noteChange(of: users, db)
    }
}
