import FundCore

/// Removes items of a feed beyond the limits of one address, within one transaction.
struct NewsExcess {
    /// More than one document brings, so that each fetch removes at least as many as it adds.
    private static let maxRemoved = NewsLimits.maxDocumentItems + 500

    let db: Database
    let feed: NewsFeed.ID
    var maxItems = NewsLimits.maxItems
    var maxBytes = NewsLimits.maxFeedBytes

    /// Removes those that were seen longest ago, but for starred ones, which count.
    func remove() throws {
        let count: Int = try db.value("SELECT count(*) FROM news_item WHERE feed_id = ?", [feed]) ?? 0
        // So few are never too many bytes, which need not be counted then.
        guard count > min(maxItems, maxBytes / NewsLimits.maxBodyBytes) else { return }
        let items: [NewsItem.ID] = try db.values(
            """
            WITH item AS MATERIALIZED (
                SELECT id, seen_at, published_at, \(SQL.bytes("html")) AS size FROM news_item WHERE feed_id = ?
            ), kept AS (
                SELECT id, row_number() OVER latest AS number, sum(size) OVER latest AS bytes FROM item
                WINDOW latest AS (ORDER BY seen_at DESC, published_at DESC, id DESC ROWS UNBOUNDED PRECEDING)
            )
            SELECT id FROM kept WHERE (number > ? OR bytes > ?)
                AND NOT EXISTS (SELECT 1 FROM news_entry WHERE item_id = kept.id AND is_starred = 1)
            ORDER BY number DESC LIMIT \(Self.maxRemoved)
            """, [feed, maxItems, maxBytes])
        try Self.remove(items, db)
    }

    static func remove(_ items: [NewsItem.ID], _ db: Database) throws {
        for item in items {
            try db.execute("DELETE FROM news_entry WHERE item_id = ?", [item])
            try NewsDocument.remove(item, db)
            try db.execute("DELETE FROM news_item WHERE id = ?", [item])
        }
    }
}
