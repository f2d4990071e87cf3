import FundCore

/// The next changes to index, read and written in one transaction each.
struct IndexBatch: Sendable {
    /// Limit of the bytes of texts, unless one document has more: for memory, and for the time of the write lock.
    private static let maxBytes = 1 << 20

    private var cursor: Int64
    private(set) var last: Int64?
    private var sources: [(text: SearchSource, mark: Int64?)] = []
    private var documents: [SearchDocument] = []
    private var gone: [LibraryItemID] = []

    var sourceCount: Int { sources.count }

    static func cursor(_ db: Database) throws -> Int64 { try Counter.value("search", db) ?? 0 }

    static func next(_ db: Database, limit: Int) throws -> IndexBatch {
        var batch = IndexBatch(cursor: try cursor(db))
        let changes = try db.rows(
            "SELECT seq, kind, item_id FROM change WHERE seq > ? ORDER BY seq LIMIT ?", [batch.cursor, limit])
        var bytes = 0
        for change in changes where bytes < maxBytes {
            let item = try change.item(1)
            bytes += try batch.take(item, db)
            batch.last = change[0]
        }
        return batch
    }

    private mutating func take(_ item: LibraryItemID, _ db: Database) throws -> Int {
        let known = try db.row(
            "SELECT fund_id, mark FROM search_item WHERE kind = ? AND item_id = ?", item.arguments)
        // The text of an email never changes; its owner changes with its fund, or with the fund's owner.
        if case .email(let id) = item, let known,
            try known[0] as Fund.ID == db.value("SELECT fund_id FROM email WHERE id = ?", [id]),
            try !db.exists(
                "SELECT 1 FROM departure WHERE kind = ? AND item_id = ?", item.arguments)
        {
            return 0
        }
        guard let source = try SearchSource(db, item) else {
            if known != nil { gone.append(item) }
            return 0
        }
        sources.append((source, known?[1]))
        return source.bytes
    }

    /// Finds the words, which takes time that grows with the texts.
    /// - Parameter texts: what was read in files.
    mutating func takeApart(_ texts: FileTexts) {
        documents = sources.compactMap { source, mark in
            let document = SearchDocument(source, texts)
            return document.mark == mark ? nil : document
        }
        sources = []
    }

    /// Does nothing when another process has indexed these changes meanwhile.
    func store(_ db: Database, upTo last: Int64) throws {
        guard try Self.cursor(db) == cursor else { return }
        for item in gone { try SearchDocument.remove(item, db) }
        for document in documents { try document.store(db) }
        try Counter.set("search", last, db)
    }
}
