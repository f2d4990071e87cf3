internal import Dispatch
package import FundCore

/// News of users, and the register of the feeds that they have.
package struct SQLNewsStore: NewsLibrary, NewsRegister {
    let connection: StoreConnection

    func reading<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (NewsListRows) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(NewsListRows(db: $0, user: user)) }
        }
    }

    func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, of user: User.ID,
        _ body: @escaping @Sendable (NewsListRows) throws -> Value
    ) async throws -> Value {
        try await connection.writing(operation, room, on: connection.queues.changes) {
            try body(NewsListRows(db: $0, user: user))
        }
    }

    // MARK: Feeds

    package func feeds(in list: NewsList, of user: User.ID) async throws -> [NewsSubscription] {
        let operation = "list feeds"
        let found = try await reading(operation, of: user) { rows in
            try rows.subscriptions(where: "subscription.fund_id = ?2", [try rows.number(of: list, operation)])
        }
        return found.sorted { ($0.folder, $0.title.lowercased(), $0.id) < ($1.folder, $1.title.lowercased(), $1.id) }
    }

    package func feed(_ id: NewsSubscription.ID, of user: User.ID) async throws -> NewsSubscription {
        let operation = "find a feed"
        return try await reading(operation, of: user) { try $0.subscription(id, operation) }
    }

    package func addFeeds(
        _ feeds: [NewNewsFeed], to list: NewsList, of user: User.ID, leavesOut: Bool
    ) async throws -> [NewsSubscription] {
        let operation = "add feeds"
        let feeds = try feeds.map { try Self.checked($0, operation) }
        return try await changing(operation, of: user) { rows in
            let number = try rows.number(of: list, operation)
            for feed in feeds { try NewsFeedRows(db: rows.db).checkAllowed(feed.address, operation) }
            var taken: Set<String> = Set(
                try rows.db.values(
                    """
                    SELECT feed.address FROM news_subscription AS subscription
                    JOIN news_feed AS feed ON feed.id = subscription.feed_id WHERE user_id = ? AND fund_id = ?
                    """, [user, number]))
            let kept = feeds.filter { feed in
                let isKept = taken.count < NewsLimits.maxFeeds || taken.contains(feed.address.text)
                if isKept { taken.insert(feed.address.text) }
                return isKept
            }
            guard leavesOut || kept.count == feeds.count else { throw StoreError(operation, NewsLimits.isFull) }
            let ids = try kept.map { try rows.subscribe($0, number, now: .now) }
            try rows.noteChange()
            return try rows.subscriptions(
                where: "subscription.id \(SQL.isAmong("?2"))", [SQL.list(ids.map(\.rawValue))])
        }
    }

    package func changeFeed(
        _ id: NewsSubscription.ID, _ change: NewsSubscriptionChange, of user: User.ID
    ) async throws -> NewsSubscription {
        let operation = "change a feed"
        let (title, folder) = (
            try change.ownTitle.map { try Self.checked($0, operation) },
            try change.folder.map { try Self.checked($0, operation) }
        )
        return try await changing(operation, of: user) { rows in
            let old = try rows.subscription(id, operation)
            let newTitle = title.map { $0.isEmpty ? nil : $0 } ?? old.ownTitle
            try rows.db.execute(
                "UPDATE news_subscription SET title = ?, folder = ? WHERE id = ?", [newTitle, folder ?? old.folder, id])
            try rows.noteChange()
            return try rows.subscription(id, operation)
        }
    }

    package func removeFeed(_ id: NewsSubscription.ID, of user: User.ID) async throws {
        let operation = "remove a feed"
        try await changing(operation, .reserve, of: user) { rows in
            try rows.unsubscribe(try rows.subscription(id, operation))
            try rows.noteChange()
        }
    }

    @discardableResult
    package func renameFolder(
        _ folder: String, to name: String, in list: NewsList, of user: User.ID
    ) async throws -> Int {
        let operation = "rename a folder of feeds"
        let name = try Self.checked(name, operation)
        return try await changing(operation, of: user) { rows in
            let count = try rows.db.execute(
                "UPDATE news_subscription SET folder = ? WHERE user_id = ? AND fund_id = ? AND folder = ?",
                [name, user, try rows.number(of: list, operation), folder])
            try rows.noteChange()
            return count
        }
    }

    // MARK: Names

    private static func checked(_ feed: NewNewsFeed, _ operation: String) throws -> NewNewsFeed {
        var feed = feed
        feed.folder = try checked(feed.folder, operation)
        feed.ownTitle = try feed.ownTitle.map { try checked($0, operation) }
        if feed.ownTitle?.isEmpty == true { feed.ownTitle = nil }
        return feed
    }

    /// A name on one line. Throws `invalid` for one that is too long.
    static func checked(_ name: String, _ operation: String) throws -> String {
        let name = name.label.trimmed
        guard name.utf8.count <= NewsLimits.maxNameBytes else { throw StoreError(operation, NewsLimits.nameTooLong) }
        return name
    }
}
