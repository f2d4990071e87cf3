internal import GRDB
import FundCore

/// The next changes to index, read and written in one transaction each.
struct IndexBatch: Sendable {
    /// Of texts, unless one document has more: what is in memory, and what one transaction may hold the lock for.
    private static let maxBytes = 1 << 20

    private var cursor: Int64
    private(set) var last: Int64?
    private var sources: [(text: SearchSource, mark: Int64?)] = []
    private var documents: [SearchDocument] = []
    private var gone: [LibraryItemID] = []

    var sourceCount: Int { sources.count }

    static func cursor(_ db: Database) throws -> Int64 {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT value FROM counter WHERE name = 'search'")) ?? 0
    }

    static func next(_ db: Database, limit: Int) throws -> IndexBatch {
        var batch = IndexBatch(cursor: try cursor(db))
        let changes = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT seq, kind, item_id FROM change WHERE seq > ? ORDER BY seq LIMIT ?"),
            arguments: [batch.cursor, limit])
        var bytes = 0
        for change in changes where bytes < maxBytes {
            let item = try LibraryItemID(column: change[1], change[2])
            bytes += try batch.take(item, db)
            batch.last = change[0]
        }
        return batch
    }

    private mutating func take(_ item: LibraryItemID, _ db: Database) throws -> Int {
        let known = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT fund_id, mark FROM search_item WHERE kind = ? AND item_id = ?"),
            arguments: [item.kind.rawValue, item.number])
        // What an email says never changes.
        if case .email(let id) = item, let known,
            try known[0]
                == Int64.fetchOne(
                    db.cachedStatement(sql: "SELECT fund_id FROM email WHERE id = ?"), arguments: [id])
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
    mutating func takeApart() {
        documents = sources.compactMap { source, mark in
            let document = SearchDocument(source)
            return document.mark == mark ? nil : document
        }
        sources = []
    }

    /// Does nothing when another process has indexed these changes meanwhile.
    func store(_ db: Database, upTo last: Int64) throws {
        guard try Self.cursor(db) == cursor else { return }
        for item in gone + documents.map(\.item) {
            try db.cachedStatement(sql: "DELETE FROM search_item WHERE kind = ? AND item_id = ?")
                .execute(arguments: [item.kind.rawValue, item.number])
        }
        for document in documents {
            try db.cachedStatement(sql: "INSERT INTO search_item (kind, item_id, fund_id, mark) VALUES (?, ?, ?, ?)")
                .execute(arguments: [
                    document.item.kind.rawValue, document.item.number, document.fund, document.mark,
                ])
            try db.cachedStatement(sql: "INSERT INTO search_words (rowid, words) VALUES (?, ?)")
                .execute(arguments: [db.lastInsertedRowID, document.words])
        }
        try db.cachedStatement(sql: "UPDATE counter SET value = ? WHERE name = 'search'").execute(arguments: [last])
    }

    private init(cursor: Int64) { self.cursor = cursor }
}
