package import FundCore

extension SQLNewsStore {
    /// Documents that are read for one page: what a filter leaves out makes pages short.
    private static let maxCandidates = 1000
    /// Items that are indexed in one transaction.
    private static let maxIndexed = 50

    /// Items in which words occur, those that were indexed last first.
    func found(
        _ words: String, _ filter: NewsFilter, of user: User.ID, _ page: PageQuery
    ) async throws -> ListPage<NewsItem> {
        let operation = "search news"
        return try await connection.readers.run(.search, for: user) { [connection] in
            try connection.read(operation) { db in
                let items = try NewsItemRows(NewsListRows(db: db, user: user), filter, operation)
                return try Self.page(of: words, page, db) { numbers in
                    Dictionary(uniqueKeysWithValues: try items.items(numbers).map { ($0.id.rawValue, $0) })
                }
            }
        }
    }

    package func newsHits(_ query: SearchQuery, of user: User.ID) async throws -> ListPage<NewsHit> {
        let operation = "search all news"
        let page = PageQuery(limit: query.limit, cursor: query.cursor)
        return try await connection.readers.run(.search, for: user) { [connection] in
            try connection.read(operation) { db in
                let rows = try NewsHitRows(NewsListRows(db: db, user: user), query)
                guard !rows.isEmpty else { return ListPage(items: [], next: nil) }
                return try Self.page(of: query.text, page, db, resolve: rows.hits)
            }
        }
    }

    /// `resolve` gives the items of some numbers that the user may see, by number.
    private static func page<Item: Sendable>(
        of words: String, _ page: PageQuery, _ db: Database, resolve: ([Int64]) throws -> [Int64: Item]
    ) throws -> ListPage<Item> {
        guard let expression = SearchExpression(words, of: NewsDocument.reader, fund: nil).prefixed else {
            return ListPage(items: [], next: nil)
        }
        let start = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1).numbers[0] } ?? .max
        let found = try WordIndex.documents(
            with: expression, isBefore: true, start, count: maxCandidates, db
        ) { (number: $0[0] as Int64, item: $0[2] as Int64?) }
        let known = try resolve(found.compactMap(\.item))
        var list: [Item] = []
        for document in found {
            if let item = document.item.flatMap({ known[$0] }) { list.append(item) }
            if list.count == page.limit {
                return ListPage(items: list, next: ListCursor(document.number).text)
            }
        }
        let hasMore = found.count == maxCandidates
        return ListPage(items: list, next: hasMore ? found.last.map { ListCursor($0.number).text } : nil)
    }

    @discardableResult
    package func indexNews() async throws -> Int {
        let operation = "index news"
        let documents = try await connection.queues.shared.run { [connection] in
            let sources = try connection.read(operation) { db in
                try db.rows(
                    """
                    SELECT id, digest, title, author, html FROM news_item WHERE is_indexed = 0
                    ORDER BY id LIMIT \(Self.maxIndexed)
                    """, []
                ) { row in
                    (
                        id: row[0] as NewsItem.ID, digest: try row.digest(1),
                        texts: [row[2] as String, row[3] as String? ?? ""], html: row[4] as String
                    )
                }
            }
            return sources.map { (id: $0.id, digest: $0.digest, document: NewsDocument($0.texts, html: $0.html)) }
        }
        guard !documents.isEmpty else { return 0 }
        try await connection.writing(operation, on: connection.queues.changes) { db in
            for (id, digest, document) in documents {
                // An item that was changed or removed meanwhile is indexed by another call.
                let isSame = try db.execute(
                    "UPDATE news_item SET is_indexed = 1 WHERE id = ? AND digest = ?", [id, digest])
                if isSame > 0 { try document.store(as: id, db) }
            }
        }
        return documents.count
    }
}

/// The words of an item of news, as the index has them. News is public, so that all users share its documents; rows
/// tell whose lists have an item.
struct NewsDocument: Sendable {
    /// The user in whose place news stands in the index: no user has this number.
    static let reader = User.ID(0)
    /// Kind in `search_item`, beside those of `ItemKind`.
    private static let kind: Int64 = 100
    /// Limit of distinct words of an item.
    private static let maxWords = 5000

    private var words: String

    init(_ texts: [String], html: String) {
        var words = SearchWords(maxWords: Self.maxWords)
        for text in texts { words.add(text) }
        words.add(VisibleText.of(html: html))
        let owner = SearchDocument.owner(Self.reader)
        let sorted = words.words.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        self.words = sorted.map { owner + $0 }.joined(separator: " ")
    }

    /// Writes the document in the place of the one that the item had.
    func store(as item: NewsItem.ID, _ db: Database) throws {
        try Self.remove(item, db)
        let number: ID<NewsDocument> = try db.insert(
            "INSERT INTO search_item (kind, item_id, fund_id, mark) VALUES (?, ?, 0, 0)", [Self.kind, item])
        try WordIndex.add(words, as: number, db)
    }

    static func remove(_ item: NewsItem.ID, _ db: Database) throws {
        try db.execute("DELETE FROM search_item WHERE kind = ? AND item_id = ?", [kind, item])
    }
}
