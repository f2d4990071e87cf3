import FundCore

/// The items of one user's lists within one transaction.
struct NewsItemRows {
    let rows: NewsListRows
    let filter: NewsFilter
    /// The feeds of the filter, with the names that their reader gave them; nil for starred items of any list.
    private let feeds: [NewsFeed.ID: String?]?

    private static let keys = Keyset("entry.published_at", "entry.item_id", isDescending: true)
    static let columns = """
        item.id, item.feed_id, feed.title, item.title, item.link, item.author, item.excerpt, item.published_at,
            entry.is_read, entry.is_starred
        """
    static let joined = """
        \(SQL.thenJoin) news_item AS item ON item.id = entry.item_id
            \(SQL.thenJoin) news_feed AS feed ON feed.id = item.feed_id
        """

    /// Throws `notFound` for a fund or a feed that is not the user's.
    init(_ rows: NewsListRows, _ filter: NewsFilter, _ operation: String) throws {
        self.rows = rows
        self.filter = filter
        let list = try rows.number(of: filter.list, operation)
        let isAnyStarred =
            filter.state == .starred && filter.list == .own && filter.folder == nil && filter.subscription == nil
        var condition = "user_id = ?1 AND fund_id = ?2"
        var arguments: SQLArguments = [rows.user, list]
        if let folder = filter.folder {
            condition += " AND folder = ?3"
            arguments.append(folder)
        }
        if let subscription = filter.subscription {
            condition += " AND id = ?\(arguments.count + 1)"
            arguments.append(subscription)
        }
        let found = try rows.db.rows("SELECT feed_id, title FROM news_subscription WHERE \(condition)", arguments) {
            (feed: $0[0] as NewsFeed.ID, title: $0[1] as String?)
        }
        if filter.subscription != nil, found.isEmpty {
            throw StoreError(.notFound, operation, "the list has no such feed")
        }
        names = Dictionary(found.map { ($0.feed, $0.title) }) { first, _ in first }
        feeds = isAnyStarred ? nil : names
    }

    /// Names that the reader gave to feeds.
    private let names: [NewsFeed.ID: String?]

    // MARK: Lists

    /// The items behind a place of the list, or before it, nearest first.
    func items(_ side: Side, _ place: (at: Timestamp, id: NewsItem.ID)?, count: Int) throws -> [NewsItem] {
        if let feeds, feeds.isEmpty { return [] }
        var (condition, arguments) = self.condition
        let keys = side == .behind ? Self.keys : Keyset("entry.published_at", "entry.item_id")
        if let place {
            condition += " AND \(keys.isBehind("?\(arguments.count + 1), ?\(arguments.count + 2)"))"
            arguments += [place.at, place.id]
        }
        return try rows.db.rows(
            """
            SELECT \(Self.columns) FROM \(table) \(Self.joined) WHERE \(condition)
            ORDER BY \(keys.order) \(SQL.limit(count))
            """, arguments, as: item
        ).prefix(count).map { $0 }
    }

    enum Side { case before, behind }

    /// The items of these numbers that the filter has.
    func items(_ numbers: [Int64]) throws -> [NewsItem] {
        if let feeds, feeds.isEmpty { return [] }
        let (condition, arguments) = self.condition
        return try rows.db.rows(
            """
            SELECT \(Self.columns) FROM news_entry AS entry \(Self.joined)
            WHERE \(condition) AND entry.item_id \(SQL.isAmong("?\(arguments.count + 1)"))
            """, arguments + [SQL.list(numbers)], as: item)
    }

    /// Condition on `entry`, with its arguments.
    var condition: (String, SQLArguments) {
        var condition = "entry.user_id = ?1"
        var arguments: SQLArguments = [rows.user]
        switch filter.state {
        case .all: break
        case .unread: condition += " AND entry.is_read = 0"
        case .starred: condition += " AND entry.is_starred = 1"
        }
        if let feeds {
            if feeds.count == 1, let feed = feeds.keys.first {
                condition += " AND entry.feed_id = ?2"
                arguments.append(feed)
            } else {
                condition += " AND entry.feed_id \(SQL.isAmong("?2"))"
                arguments.append(SQL.list(feeds.keys.map(\.rawValue).sorted()))
            }
        }
        return (condition, arguments)
    }

    /// The table, read by the index that has its rows in the order of the list.
    private var table: String {
        let isOneFeed = feeds?.count == 1
        let index =
            switch filter.state {
            case .starred: "news_entry_starred"
            case .unread: isOneFeed ? "news_entry_count" : "news_entry_unread"
            case .all: isOneFeed ? "news_entry_feed" : "news_entry_order"
            }
        return SQL.table("news_entry AS entry", using: index)
    }

    private func item(_ row: Row) -> NewsItem {
        NewsItem(row: row, ownTitle: names[row[1] as NewsFeed.ID] ?? nil)
    }

    // MARK: One item

    /// An item of the user, whatever the filter.
    static func article(_ id: NewsItem.ID, _ rows: NewsListRows, _ operation: String) throws -> NewsArticle {
        let found = try rows.db.rows(
            """
            SELECT \(columns), item.html, item.enclosures, (SELECT title FROM news_subscription
                WHERE user_id = ?1 AND feed_id = item.feed_id ORDER BY fund_id LIMIT 1)
            FROM news_entry AS entry \(joined) WHERE entry.user_id = ?1 AND entry.item_id = ?2
            """, [rows.user, id]
        ) { row in
            NewsArticle(
                item: NewsItem(row: row, ownTitle: row[12]), html: row[10], enclosures: NewsText.enclosures(row[11]),
                source: row[2])
        }
        return try found.one(operation, "there is no item \(id)")
    }
}

extension NewsItem {
    /// Reads the columns of `NewsItemRows`.
    init(row: Row, ownTitle: String?) {
        let title: String = row[2]
        self.init(
            id: row[0], feed: row[1], feedTitle: ownTitle ?? title, title: row[3], link: row[4], author: row[5],
            excerpt: row[6], publishedAt: row[7], isRead: row[8], isStarred: row[9])
    }
}

extension NewsItem: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(publishedAt.rawValue, id.rawValue) }
    var textBytes: Int { title.utf8.count + excerpt.utf8.count }
}
