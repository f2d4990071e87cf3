import FundCore

/// The notes of a fund in the order that a reader wants, a page at a time.
struct NoteList {
    let view: LibraryView
    let fund: Fund.ID
    let order: NoteOrder
    let limit: Int

    /// - Parameter cursor: an id, and the value by which the notes are ordered.
    func page(after cursor: ListCursor?) throws -> Page<NoteEntry> {
        let direction = order.isDescending ? "DESC" : "ASC"
        var (condition, arguments): (String, SQLArguments) = ("1 = 1", [fund])
        if let cursor {
            condition = "(\(column), id) \(order.isDescending ? "<" : ">") (?2, ?3)"
            arguments += [try value(of: cursor), cursor.numbers[0]]
        }
        var list = ListPage<(id: NoteEntry.ID, value: String)>(limit: limit)
        try view.db.forEach(
            """
            SELECT id, CAST(\(column) AS TEXT), \(SQL.bytes("body")) FROM note
            WHERE fund_id = ?1 AND deleted_at IS NULL AND \(condition)
            ORDER BY \(column) \(direction), id \(direction) \(SQL.limit(limit + 1))
            """, arguments
        ) { row in list.add((row[0], row[1]), textBytes: row[2]) }
        let ids = list.items.map(\.id)
        let found = try view.notes(where: LibraryView.among(.note), [SQL.list(ids.map(\.rawValue))])
        let notes = Dictionary(found.map { ($0.id, $0) }) { first, _ in first }
        return Page(
            items: ids.compactMap { notes[$0] },
            next: list.hasMore
                ? list.items.last.map { ListCursor($0.id.rawValue, texts: [$0.value]).text } : nil)
    }

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
