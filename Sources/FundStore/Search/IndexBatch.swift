import FundCore

/// The next changes to index of one person after the other, read and written in one transaction each.
struct IndexBatch: Sendable {
    /// Limit of the bytes of texts, unless one document has more: for memory, and for the time of the write lock.
    private static let maxBytes = 1 << 20

    /// Limit of people of a batch.
    private static let maxPeople = 100

    /// The part of a person's feed that a batch takes: the numbers behind `cursor` up to `last`.
    private struct Part {
        var user: User.ID
        var cursor: Int64
        var last: Int64
    }

    private var parts: [Part] = []
    private var sources: [(text: SearchSource, mark: Int64?)] = []
    private var documents: [SearchDocument] = []
    private var gone: [LibraryItemID] = []

    var sourceCount: Int { sources.count }

    /// Whether nothing waits.
    var isEmpty: Bool { parts.isEmpty }

    static func next(_ db: Database, limit: Int) throws -> IndexBatch {
        var batch = IndexBatch()
        let waiting = try db.rows(
            "SELECT user_id, indexed, last FROM feed WHERE last > indexed ORDER BY user_id LIMIT ?", [maxPeople]
        ) { Part(user: $0[0], cursor: $0[1], last: $0[2]) }
        var (bytes, left) = (0, limit)
        for var part in waiting where bytes < maxBytes && left > 0 {
            let changes = try db.rows(
                "SELECT seq, kind, item_id FROM change WHERE user_id = ? AND seq > ? ORDER BY seq LIMIT ?",
                [part.user, part.cursor, left])
            var taken = 0
            for change in changes where bytes < maxBytes {
                bytes += try batch.take(try change.item(1), db)
                taken += 1
            }
            // Numbers behind the last change are those of what left the library.
            if taken == left || taken < changes.count { part.last = changes[taken - 1][0] }
            left -= taken
            batch.parts.append(part)
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

    /// Does nothing when another process has indexed some of these changes meanwhile.
    func store(_ db: Database) throws {
        for part in parts {
            let isSame = try db.exists(
                "SELECT 1 FROM feed WHERE user_id = ? AND indexed = ?", [part.user, part.cursor])
            guard isSame else { return }
        }
        for item in gone { try SearchDocument.remove(item, db) }
        for document in documents { try document.store(db) }
        for part in parts {
            try db.execute("UPDATE feed SET indexed = ? WHERE user_id = ?", [part.last, part.user])
        }
    }
}
