import FundCore

/// The items of a feed that are beyond the limits of one address: those that were seen longest ago. Starred ones count,
/// and stay.
struct NewsExcess: Sendable {
    /// More than one document brings, so that each fetch removes at least as many as it adds.
    private static let maxRemoved = NewsLimits.maxDocumentItems + 500

    let feed: NewsFeed.ID
    var maxItems = NewsLimits.maxItems
    var maxBytes = NewsLimits.maxFeedBytes

    /// Finds them. To count bytes reads all bodies of the feed: not to be called within a transaction that writes.
    func items(_ db: Database) throws -> [NewsItem.ID] {
        let count: Int = try db.value("SELECT count(*) FROM news_item WHERE feed_id = ?", [feed]) ?? 0
        // So few are never too many bytes, which need not be counted then.
        guard count > min(maxItems, maxBytes / NewsLimits.maxBodyBytes) else { return [] }
        return try db.values(
            """
            WITH item AS MATERIALIZED (
                SELECT id, seen_at, published_at, \(SQL.bytes("html")) AS size FROM news_item WHERE feed_id = ?
            ), kept AS (
                SELECT id, row_number() OVER latest AS number, sum(size) OVER latest AS bytes FROM item
                WINDOW latest AS (ORDER BY seen_at DESC, published_at DESC, id DESC ROWS UNBOUNDED PRECEDING)
            )
            SELECT id FROM kept WHERE (number > ? OR bytes > ?) AND NOT \(Self.isStarred("kept.id"))
            ORDER BY number DESC LIMIT \(Self.maxRemoved)
            """, [feed, maxItems, maxBytes])
    }

    /// Removes the found ones that were not starred since.
    static func removeUnstarred(_ items: [NewsItem.ID], _ db: Database) throws {
        let found: [NewsItem.ID] = try db.values(
            "SELECT id FROM news_item WHERE id \(SQL.isAmong("?")) AND NOT \(isStarred("news_item.id"))",
            [SQL.list(items.map(\.rawValue))])
        try remove(found, db)
    }

    static func remove(_ items: [NewsItem.ID], _ db: Database) throws {
        for item in items {
            try db.execute("DELETE FROM news_entry WHERE item_id = ?", [item])
            try NewsDocument.remove(item, db)
            try db.execute("DELETE FROM news_item WHERE id = ?", [item])
        }
    }

    private static func isStarred(_ item: String) -> String {
        "EXISTS (SELECT 1 FROM news_entry WHERE item_id = \(item) AND is_starred = 1)"
    }
}
