import FundCore

/// The feeds and lists of one user within one transaction.
struct NewsListRows {
    let db: Database
    let user: User.ID

    // MARK: Lists

    /// The number of a list in `news_subscription.fund_id`. Throws `notFound` for a fund that is not the user's, or is
    /// archived or deleted.
    func number(of list: NewsList, _ operation: String) throws -> Int64 {
        guard case .fund(let fund) = list else { return 0 }
        let isThere = try db.exists(
            "SELECT 1 FROM fund WHERE fund.id = ?2 AND \(LibraryView.inVisibleFund)", [user, fund])
        guard isThere else { throw StoreError(.notFound, operation, "there is no fund \(fund)") }
        return fund.rawValue
    }

    /// Whether `subscription` is of a list that is shown: not that of an archived or deleted fund.
    static let isShown = """
        (subscription.fund_id = 0 OR EXISTS (SELECT 1 FROM fund WHERE fund.id = subscription.fund_id
            AND fund.archived_at IS NULL AND fund.deleted_at IS NULL))
        """

    func subscriptions(where condition: String, _ arguments: SQLArguments) throws -> [NewsSubscription] {
        let unread = try unreadCounts()
        return try db.rows(
            """
            SELECT subscription.id, subscription.fund_id, subscription.title, subscription.folder, \(NewsFeed.columns)
            FROM news_subscription AS subscription JOIN news_feed AS feed ON feed.id = subscription.feed_id
            WHERE subscription.user_id = ?1 AND \(condition)
            """, [user] + arguments
        ) { row in
            let (fund, feed): (Int64, NewsFeed) = (row[1], NewsFeed(row: row, from: 4))
            return NewsSubscription(
                id: row[0], list: fund == 0 ? .own : .fund(.init(fund)), feed: feed, ownTitle: row[2], folder: row[3],
                unreadCount: unread[feed.id] ?? 0)
        }
    }

    func subscription(_ id: NewsSubscription.ID, _ operation: String) throws -> NewsSubscription {
        let found = try subscriptions(where: "subscription.id = ?2", [id])
            .one(operation, "there is no feed \(id) in a list")
        _ = try number(of: found.list, operation)
        return found
    }

    /// Unread items by feed.
    func unreadCounts() throws -> [NewsFeed.ID: Int] {
        let rows = try db.rows(
            """
            SELECT feed_id, count(*) FROM \(SQL.table("news_entry", using: "news_entry_count"))
            WHERE user_id = ? AND is_read = 0 GROUP BY feed_id
            """, [user]
        ) { (feed: $0[0] as NewsFeed.ID, count: $0[1] as Int) }
        return Dictionary(uniqueKeysWithValues: rows.map { ($0.feed, $0.count) })
    }

    func starredCount() throws -> Int {
        try db.value(
            """
            SELECT count(*) FROM \(SQL.table("news_entry", using: "news_entry_starred"))
            WHERE user_id = ? AND is_starred = 1
            """, [user]) ?? 0
    }

    // MARK: Changes

    /// Numbers a change of the user's news.
    func noteChange() throws { try Self.noteChange(of: [user], db) }

    static func noteChange(of users: some Sequence<User.ID>, _ db: Database) throws {
        for user in users {
            try db.execute(
                """
                INSERT INTO news_version (user_id, number)
                VALUES (?, (SELECT coalesce(max(number), 0) + 1 FROM news_version))
                ON CONFLICT (user_id) DO UPDATE SET number = excluded.number
                """, [user])
        }
    }

    /// Puts a feed into a list, or changes its place there.
    func subscribe(_ new: NewNewsFeed, _ list: Int64, now: Timestamp) throws -> NewsSubscription.ID {
        let feed = try NewsFeedRows(db: db).feed(of: new, now: now)
        let known: NewsSubscription.ID? = try db.value(
            "SELECT id FROM news_subscription WHERE user_id = ? AND fund_id = ? AND feed_id = ?", [user, list, feed])
        if let known {
            try db.execute(
                "UPDATE news_subscription SET title = coalesce(?, title), folder = ? WHERE id = ?",
                [new.ownTitle, new.folder, known])
            return known
        }
        let id: NewsSubscription.ID = try db.insert(
            "INSERT INTO news_subscription (user_id, fund_id, feed_id, title, folder) VALUES (?, ?, ?, ?, ?)",
            [user, list, feed, new.ownTitle, new.folder])
        try addItems(of: feed)
        return id
    }

    func unsubscribe(_ subscription: NewsSubscription) throws {
        try db.execute("DELETE FROM news_subscription WHERE id = ?", [subscription.id])
        try removeItemsOfNoList(of: subscription.feed.id)
    }

    /// Gives the lists of a fund to another user, with their items as unread.
    static func give(_ fund: Fund.ID, from owner: User.ID, to newOwner: User.ID, _ db: Database) throws {
        let feeds: [NewsFeed.ID] = try db.values("SELECT feed_id FROM news_subscription WHERE fund_id = ?", [fund])
        guard !feeds.isEmpty else { return }
        try db.execute("UPDATE news_subscription SET user_id = ? WHERE fund_id = ?", [newOwner, fund])
        for feed in feeds {
            try db.execute(
                """
                INSERT INTO news_entry (user_id, item_id, feed_id, published_at)
                SELECT ?1, item_id, feed_id, published_at FROM news_entry AS old WHERE user_id = ?2 AND feed_id = ?3
                    AND NOT EXISTS (SELECT 1 FROM news_entry WHERE user_id = ?1 AND item_id = old.item_id)
                """, [newOwner, owner, feed])
            try NewsListRows(db: db, user: owner).removeItemsOfNoList(of: feed)
        }
        try noteChange(of: [owner, newOwner], db)
    }

    /// Adds the items of the feed's latest document, as unread. Earlier ones may have come from an address that the
    /// feed had before: one that leads to a site of good name would have its own items stand there under that name.
    func addItems(of feed: NewsFeed.ID) throws {
        try db.execute(
            """
            INSERT INTO news_entry (user_id, item_id, feed_id, published_at)
            SELECT ?1, item.id, item.feed_id, item.published_at
            FROM news_item AS item JOIN news_feed AS feed ON feed.id = item.feed_id
            WHERE item.feed_id = ?2 AND item.seen_at = feed.document_at AND NOT EXISTS
                (SELECT 1 FROM news_entry WHERE news_entry.user_id = ?1 AND item_id = item.id)
            """, [user, feed])
    }

    /// Removes items of a feed that no list of the user has any more, but for starred ones.
    private func removeItemsOfNoList(of feed: NewsFeed.ID) throws {
        let isThere = try db.exists(
            "SELECT 1 FROM news_subscription WHERE user_id = ? AND feed_id = ?", [user, feed])
        guard !isThere else { return }
        try db.execute(
            "DELETE FROM news_entry WHERE user_id = ? AND feed_id = ? AND is_starred = 0", [user, feed])
        // A starred item of no list is counted nowhere.
        try db.execute("UPDATE news_entry SET is_read = 1 WHERE user_id = ? AND feed_id = ?", [user, feed])
    }
}

extension NewsFeed {
    /// Columns of a feed, in the order in which `init(row:from:)` reads them.
    static let columns = """
        feed.id, feed.address, feed.title, feed.site, feed.fetched_at, feed.succeeded_at, feed.next_at, feed.failures,
            feed.problem, feed.detail
        """

    init(row: Row, from first: Int) {
        let problem: String? = row[first + 8]
        self.init(
            id: row[first], address: row[first + 1], title: row[first + 2], siteAddress: row[first + 3],
            health: NewsFeedHealth(
                fetchedAt: row[first + 4], succeededAt: row[first + 5], nextAt: row[first + 6],
                failureCount: row[first + 7], problem: problem.flatMap(NewsProblem.init), detail: row[first + 9]))
    }
}
