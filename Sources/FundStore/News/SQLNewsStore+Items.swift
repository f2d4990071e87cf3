package import FundCore

extension SQLNewsStore {
    package func items(_ filter: NewsFilter, of user: User.ID, _ page: PageQuery) async throws -> ListPage<NewsItem> {
        let operation = "list news"
        if let words = filter.words { return try await found(words, filter, of: user, page) }
        return try await reading(operation, of: user) { rows in
            let items = try NewsItemRows(rows, filter, operation)
            return try page.list { cursor, count in
                let place = cursor.map { (at: Timestamp($0.numbers[0]), id: NewsItem.ID($0.numbers[1])) }
                return try items.items(.behind, place, count: count)
            }
        }
    }

    package func article(_ id: NewsItem.ID, of user: User.ID) async throws -> NewsArticle {
        let operation = "read an item of news"
        return try await reading(operation, of: user) { try NewsItemRows.article(id, $0, operation) }
    }

    package func neighbours(
        of item: NewsItem.ID, in filter: NewsFilter, of user: User.ID
    ) async throws -> Neighbours<NewsItem> {
        let operation = "find the next item of news"
        return try await reading(operation, of: user) { rows in
            let at: Timestamp? = try rows.db.value(
                "SELECT published_at FROM news_entry WHERE user_id = ? AND item_id = ?", [user, item])
            guard let at else { throw StoreError(.notFound, operation, "there is no item \(item)") }
            let items = try NewsItemRows(rows, filter, operation)
            return Neighbours(
                previous: try items.items(.before, (at, item), count: 1).first,
                next: try items.items(.behind, (at, item), count: 1).first)
        }
    }

    // MARK: Marks

    @discardableResult
    package func mark(_ items: [NewsItem.ID], _ mark: NewsMark, of user: User.ID) async throws -> [NewsItem.ID] {
        let operation = "mark news"
        return try await changing(operation, .reserve, of: user) { rows in
            let numbers = SQL.list(items.map(\.rawValue))
            let isTheirs = "user_id = ?1 AND item_id \(SQL.isAmong("?2"))"
            var count = 0
            if let isRead = mark.isRead {
                count += try rows.db.execute(
                    "UPDATE news_entry SET is_read = ?3 WHERE \(isTheirs) AND is_read <> ?3", [user, numbers, isRead])
            }
            if let isStarred = mark.isStarred {
                count += try rows.db.execute(
                    "UPDATE news_entry SET is_starred = ?3 WHERE \(isTheirs) AND is_starred <> ?3",
                    [user, numbers, isStarred])
                if isStarred, try rows.starredCount() > NewsLimits.maxStars {
                    throw StoreError(operation, NewsLimits.hasAllStars)
                }
            }
            if count > 0 { try rows.noteChange() }
            return try rows.db.values("SELECT item_id FROM news_entry WHERE \(isTheirs)", [user, numbers])
        }
    }

    @discardableResult
    package func markAllRead(_ filter: NewsFilter, upTo latest: NewsItem.ID?, of user: User.ID) async throws -> Int {
        let operation = "mark all news as read"
        return try await changing(operation, .reserve, of: user) { rows in
            let (condition, arguments) = try NewsItemRows(rows, filter, operation).condition
            let number = arguments.count + 1
            let count = try rows.db.execute(
                """
                UPDATE news_entry SET is_read = 1 WHERE user_id = ?1 AND is_read = 0 AND item_id IN
                    (SELECT entry.item_id FROM news_entry AS entry WHERE \(condition) AND entry.is_read = 0
                        AND entry.item_id <= ?\(number))
                """, arguments + [latest?.rawValue ?? Int64.max])
            if count > 0 { try rows.noteChange() }
            return count
        }
    }

    package func newsCounts(of user: User.ID) async throws -> NewsCounts {
        try await reading("count news", of: user) { rows in
            let unread = try rows.unreadCounts()
            guard !unread.isEmpty else { return NewsCounts() }
            var counts = NewsCounts()
            try rows.db.forEach(
                """
                SELECT fund_id, feed_id FROM news_subscription AS subscription
                WHERE user_id = ? AND \(NewsListRows.isShown)
                """, [user]
            ) { row in
                guard let count = unread[row[1] as NewsFeed.ID] else { return true }
                let fund: Int64 = row[0]
                if fund == 0 { counts.own += count } else { counts.funds[Fund.ID(fund), default: 0] += count }
                return true
            }
            return counts
        }
    }

    package func latestItem(of user: User.ID) async throws -> NewsItem.ID? {
        try await reading("find the latest item", of: user) { rows in
            try rows.db.value("SELECT max(item_id) FROM news_entry WHERE user_id = ?", [user])
        }
    }

    package func newsVersion(of user: User.ID) async throws -> Int64 {
        try await reading("read the version of news", of: user) { rows in
            try rows.db.value("SELECT number FROM news_version WHERE user_id = ?", [user]) ?? 0
        }
    }

    package func changedNews(after number: Int64?) async throws -> ChangedLibraries {
        try await connection.reading("read whose news changed") { db in
            let latest: Int64 = try db.value("SELECT max(number) FROM news_version") ?? 0
            let users: [User.ID] =
                try number.map { try db.values("SELECT user_id FROM news_version WHERE number > ?", [$0]) } ?? []
            return ChangedLibraries(number: latest, owners: Set(users))
        }
    }
}
