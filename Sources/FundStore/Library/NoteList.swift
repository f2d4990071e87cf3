import FundCore

/// The notes of a fund in the order that a reader wants, a page at a time.
struct NoteList {
    let view: LibraryView
    let fund: Fund.ID
    let order: NoteOrder
    let limit: Int

    /// - Parameter cursor: an id, and the value by which the notes are ordered.
    func page(after cursor: ListCursor?) throws -> ListPage<NoteEntry> {
        let direction = order.isDescending ? "DESC" : "ASC"
        var (condition, arguments): (String, SQLArguments) = (Self.isLive, [fund])
        if let cursor {
            condition += " AND (\(column), id) \(order.isDescending ? "<" : ">") (?3, ?4)"
            arguments += [try value(of: cursor), cursor.numbers[0]]
        }
        // Bodies are read of the notes of the page alone, not while all notes of the fund are ordered.
        let rows = try view.fetch(
            """
            SELECT id, CAST(\(column) AS TEXT) FROM note WHERE fund_id = ?2 AND \(condition)
            ORDER BY \(column) \(direction), id \(direction) \(SQL.limit(limit + 1))
            """, arguments)
        var list = ListPageBuilder<(id: NoteEntry.ID, value: String)>(limit: limit)
        for row in rows {
            let id: NoteEntry.ID = row[0]
            let bytes: Int? = try view.db.value("SELECT \(SQL.bytes("body")) FROM note WHERE id = ?", [id])
            guard list.add((id, row[1]), textBytes: bytes ?? 0) else { break }
        }
        let ids = list.items.map(\.id)
        let found = try view.notes(where: LibraryView.among(.note), [SQL.list(ids.map(\.rawValue))])
        let notes = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return ListPage(
            items: ids.compactMap { notes[$0] },
            next: list.hasMore
                ? list.items.last.map { ListCursor($0.id.rawValue, texts: [$0.value]).text } : nil)
    }

    /// A condition on rows of `note`. The table's own column for it stands behind the body, which would be read.
    static let isLive =
        "NOT EXISTS (SELECT 1 FROM deletion WHERE kind = \(ItemKind.note.rawValue) AND item_id = note.id)"

    private var column: String {
        switch order.key {
        case .title: "title"
        case .createdAt: "created_at"
        case .modifiedAt: "modified_at"
        }
    }

    private func value(of cursor: ListCursor) throws -> any SQLValue {
        if order.key == .title { return cursor.texts[0] }
        guard let number = Int64(cursor.texts[0]) else {
            throw StoreError(.invalid, "list notes", "there is no such cursor")
        }
        return number
    }
}
