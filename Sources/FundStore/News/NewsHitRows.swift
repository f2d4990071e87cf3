import FundCore

/// The items of all lists of one user that a search may find, within one transaction.
struct NewsHitRows {
    private let rows: NewsListRows
    private let query: SearchQuery
    /// The list in which each feed is shown, and the name that it has there.
    private let places: [NewsFeed.ID: (list: NewsList, ownTitle: String?)]

    init(_ rows: NewsListRows, _ query: SearchQuery) throws {
        (self.rows, self.query) = (rows, query)
        guard query.sender?.isEmpty ?? true else {
            places = [:]
            return
        }
        // A person's own list comes first.
        let found = try rows.db.rows(
            """
            SELECT feed_id, fund_id, title FROM news_subscription
            WHERE user_id = ?1 AND (?2 IS NULL OR fund_id = ?2) AND (fund_id = 0 OR EXISTS
                (SELECT 1 FROM fund WHERE fund.id = news_subscription.fund_id
                    AND \(LibraryView.inVisibleFund)))
            ORDER BY fund_id
            """, [rows.user, query.fund]
        ) { (feed: $0[0] as NewsFeed.ID, list: Self.list($0[1]), title: $0[2] as String?) }
        places = Dictionary(found.map { ($0.feed, ($0.list, $0.title)) }) { first, _ in first }
    }

    private static func list(_ number: Int64) -> NewsList { number == 0 ? .own : .fund(.init(number)) }

    var isEmpty: Bool { places.isEmpty }

    /// The items of these numbers that the search may find.
    func hits(_ numbers: [Int64]) throws -> [Int64: NewsHit] {
        let found = try rows.db.rows(
            """
            SELECT \(NewsItemRows.columns) FROM news_entry AS entry \(NewsItemRows.joined)
            WHERE entry.user_id = ?1 AND entry.item_id \(SQL.isAmong("?2")) AND entry.feed_id \(SQL.isAmong("?3"))
                AND (?4 IS NULL OR entry.published_at >= ?4) AND (?5 IS NULL OR entry.published_at < ?5)
            """,
            [rows.user, SQL.list(numbers), SQL.list(places.keys.map(\.rawValue).sorted()), query.since, query.until]
        ) { row in
            let place = places[row[1] as NewsFeed.ID]
            return NewsHit(item: NewsItem(row: row, ownTitle: place?.ownTitle), list: place?.list ?? .own)
        }
        return Dictionary(uniqueKeysWithValues: found.map { ($0.item.id.rawValue, $0) })
    }
}
