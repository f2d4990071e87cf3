import FundCore

/// The notes of a fund in the order that a reader wants, a page at a time.
struct NoteList {
    let view: LibraryView
    let fund: Fund.ID
    let order: NoteOrder
    let limit: Int
    /// `since <= modifiedAt < until`; nil is no limit.
    var since, until: Timestamp?

    /// - Parameter cursor: an id, and the value by which the notes are ordered.
    func page(after cursor: ListCursor?) throws -> ListPage<NoteEntry> {
        let keys = Keyset(column, "id", isDescending: order.isDescending)
        var (condition, arguments): (String, SQLArguments) = (Self.isLive, [fund])
        if let cursor {
            condition += " AND \(keys.isBehind("?3, ?4"))"
            arguments += [try cursor.value(isText: order.key == .title), cursor.numbers[0]]
        }
        for (time, comparison) in [(since, ">="), (until, "<")] {
            guard let time else { continue }
            arguments.append(time)
            condition += " AND modified_at \(comparison) ?\(arguments.count + 1)"
        }
        // Bodies are read of the notes of the page alone, not while all notes of the fund are ordered.
        let rows = try view.fetch(
            """
            SELECT id, CAST(\(column) AS TEXT) FROM note WHERE fund_id = ?2 AND \(condition)
            ORDER BY \(keys.order) \(SQL.limit(limit + 1))
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
        let page = list.page { ListCursor($0.id.rawValue, texts: [$0.value]) }
        return ListPage(items: ids.compactMap { notes[$0] }, next: page.next)
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
}
