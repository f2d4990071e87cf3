import FundCore

/// An item as it is to be kept.
struct FetchedItem: Sendable {
    var item: ParsedFeedItem
    var excerpt: String
    /// A digest of all that readers see of the item.
    var digest: ContentDigest

    /// Blocks for as long as the words of the body take.
    init(_ item: ParsedFeedItem) {
        var item = item
        item.html = item.html.prefix(bytes: NewsLimits.maxBodyBytes)
        item.title = item.title.prefix(bytes: NewsLimits.maxTitleBytes)
        item.author = item.author?.prefix(bytes: NewsLimits.maxTitleBytes)
        item.enclosures = item.enclosures.prefix(NewsLimits.maxEnclosures).map { enclosure in
            var enclosure = enclosure
            enclosure.address = LinkTarget(enclosure.address)?.withoutUserInfo ?? enclosure.address
            return enclosure
        }
        item.link = item.link.map { LinkTarget($0)?.withoutUserInfo ?? $0 }
        self.item = item
        // Words of the beginning: the rest need not be read.
        let beginning = item.html.prefix(bytes: 16 * NewsLimits.maxExcerptBytes)
        excerpt = VisibleText.of(html: beginning).label.trimmed.prefix(bytes: NewsLimits.maxExcerptBytes)
        let texts = [
            item.title, item.link ?? "", item.author ?? "", item.html, NewsText.text(item.enclosures),
            item.publishedAt.map(\.description) ?? "",
        ]
        digest = ContentDigest.of(texts.joined(separator: "\u{0}").utf8)
    }
}

/// Writes the result of one fetch, within one transaction.
struct NewsFetchRows {
    let db: Database
    let feed: NewsFeed.ID
    let result: FeedFetch

    func store(_ items: [FetchedItem]) throws -> NewsFetchCounts {
        guard try db.exists("SELECT 1 FROM news_feed WHERE id = ?", [feed]) else { return NewsFetchCounts() }
        switch result.outcome {
        case .failed(let problem, let detail):
            try db.execute(
                """
                UPDATE news_feed SET fetched_at = ?, next_at = ?, interval = ?, failures = failures + 1, problem = ?,
                    detail = ? WHERE id = ?
                """, [result.at, result.nextAt, seconds, problem.rawValue, detail, feed])
            return NewsFetchCounts()
        case .unchanged:
            try noteSuccess()
            return NewsFetchCounts()
        case .changed(let parsed, let validators, let digest):
            try noteSuccess()
            let isSame = try db.exists("SELECT 1 FROM news_feed WHERE id = ? AND digest = ?", [feed, digest])
            try db.execute(
                "UPDATE news_feed SET etag = ?, last_modified = ?, digest = ? WHERE id = ?",
                [validators.etag, validators.lastModified, digest, feed])
            return isSame ? NewsFetchCounts() : try store(parsed, items)
        }
    }

    private var seconds: Int64 { result.interval.components.seconds }

    private func noteSuccess() throws {
        try db.execute(
            """
            UPDATE news_feed SET fetched_at = ?1, succeeded_at = ?1, next_at = ?2, interval = ?3, failures = 0,
                problem = NULL, detail = NULL WHERE id = ?4
            """, [result.at, result.nextAt, seconds, feed])
        try correctTimes()
        guard let address = result.movedTo else { return }
        try db.execute(
            """
            UPDATE news_feed SET address = ?1 WHERE id = ?2
                AND NOT EXISTS (SELECT 1 FROM news_feed AS other WHERE other.address = ?1)
            """, [address.text, feed])
    }

    /// Takes times back that were written while the clock was ahead: such items would stand at the top until then, and
    /// stay as long.
    private func correctTimes() throws {
        try db.execute(
            "UPDATE news_feed SET document_at = ?1 WHERE id = ?2 AND document_at > ?1", [result.at, feed])
        try db.execute(
            """
            UPDATE news_item SET seen_at = ?1 WHERE id IN
                (SELECT id FROM \(SQL.table("news_item", using: "news_item_seen")) WHERE seen_at > ?1 AND feed_id = ?2)
            """, [result.at, feed])
        try db.execute(
            """
            UPDATE news_entry SET published_at = ?1 WHERE item_id IN
                (SELECT id FROM news_item WHERE feed_id = ?2 AND published_at > ?1)
            """, [result.at, feed])
        let count = try db.execute(
            "UPDATE news_item SET published_at = ?1 WHERE feed_id = ?2 AND published_at > ?1", [result.at, feed])
        if count > 0 { try noteChange() }
    }

    private func noteChange() throws {
        let users: [User.ID] = try db.values("SELECT DISTINCT user_id FROM news_subscription WHERE feed_id = ?", [feed])
        try NewsListRows.noteChange(of: users, db)
    }

    // MARK: Items

    private func store(_ parsed: ParsedFeed, _ items: [FetchedItem]) throws -> NewsFetchCounts {
        let latest: Timestamp? = try db.value("SELECT document_at FROM news_feed WHERE id = ?", [feed])
        try db.execute(
            """
            UPDATE news_feed SET document_at = ?1, site = ?2,
                title = CASE WHEN ?3 = '' THEN title ELSE ?3 END WHERE id = ?4
            """,
            [
                result.at, parsed.siteAddress.map { LinkTarget($0)?.withoutUserInfo ?? $0 },
                parsed.title.prefix(bytes: NewsLimits.maxTitleBytes), feed,
            ])
        var counts = NewsFetchCounts()
        for item in items {
            switch try store(item, behind: latest) {
            case .new: counts.new += 1
            case .changed: counts.changed += 1
            case .same: break
            }
        }
        if counts != NewsFetchCounts() { try noteChange() }
        return counts
    }

    private enum Effect { case new, changed, same }

    /// - Parameter latest: time of the document before; nil when this is the first.
    private func store(_ fetched: FetchedItem, behind latest: Timestamp?) throws -> Effect {
        let item = fetched.item
        let known = try db.rows(
            "SELECT id, digest, seen_at FROM news_item WHERE feed_id = ? AND key = ?", [feed, item.key]
        ) { (id: $0[0] as NewsItem.ID, digest: try $0.digest(1), seenAt: $0[2] as Timestamp) }.first
        if let known {
            try db.execute("UPDATE news_item SET seen_at = ? WHERE id = ?", [result.at, known.id])
            // The document before did not have it, as with an item of a feed that moved here: not all readers got it.
            let isNewToSomebody = try known.seenAt != latest && addEntries(of: known.id) > 0
            guard known.digest != fetched.digest else { return isNewToSomebody ? .changed : .same }
            try db.execute(
                """
                UPDATE news_item SET digest = ?, title = ?, link = ?, author = ?, excerpt = ?, enclosures = ?, html = ?,
                    is_indexed = 0 WHERE id = ?
                """, values(fetched) + [known.id])
            return .changed
        }
        // An item of the future would stand at the top of the list until then.
        let publishedAt = min(item.publishedAt ?? result.at, result.at)
        let id: NewsItem.ID = try db.insert(
            """
            INSERT INTO news_item (digest, title, link, author, excerpt, enclosures, html, feed_id, key, published_at,
                seen_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, values(fetched) + [feed, item.key, publishedAt, result.at])
        try addEntries(of: id)
        return .new
    }

    /// Gives an item to the readers of its feed that do not have it. Returns their number.
    @discardableResult
    private func addEntries(of item: NewsItem.ID) throws -> Int {
        try db.execute(
            """
            INSERT INTO news_entry (user_id, item_id, feed_id, published_at)
            SELECT DISTINCT list.user_id, item.id, item.feed_id, item.published_at
            FROM news_item AS item JOIN news_subscription AS list ON list.feed_id = item.feed_id WHERE item.id = ?
            ON CONFLICT (user_id, item_id) DO NOTHING
            """, [item])
    }

    private func values(_ fetched: FetchedItem) -> SQLArguments {
        let item = fetched.item
        return [
            fetched.digest, item.title, item.link, item.author, fetched.excerpt, NewsText.text(item.enclosures),
            item.html,
        ]
    }
}
