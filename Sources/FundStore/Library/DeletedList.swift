import FundCore

/// Deleted items that can be restored, a page at a time.
struct DeletedList {
    /// Rounds of one page: most of what was deleted may lie in funds that were deleted later. Then a page is short.
    private static let maxRounds = 8

    let view: LibraryView
    let order: TrashOrder
    let limit: Int
    /// False leaves archived funds out.
    var includesArchived = true

    private struct Root {
        var item: LibraryItemID
        /// The value by which the list is ordered, as text.
        var value: String

        var cursor: ListCursor { ListCursor(Int64(item.kind.rawValue), item.number, texts: [value]) }
    }

    /// - Parameter start: a kind, an id, and the value by which the list is ordered.
    func page(after start: ListCursor?) throws -> ListPage<LibraryItem> {
        var (items, cursor): ([LibraryItem], ListCursor?) = ([], start)
        for _ in 0..<Self.maxRounds {
            let roots = try self.roots(after: cursor)
            let found = try resolve(roots)
            for root in roots {
                if let item = found[root.item] {
                    if items.count == limit { return ListPage(items: items, next: cursor?.text) }
                    items.append(item)
                }
                cursor = root.cursor
            }
            if roots.count <= limit { return ListPage(items: items, next: nil) }
        }
        return ListPage(items: items, next: cursor?.text)
    }

    /// The value by which the list is ordered, in SQL, of a fund, folder or file.
    private func value(of kind: ItemKind, id: String) -> String {
        switch (order.key, kind) {
        case (.name, .fund): "coalesce((SELECT lower(named.name) FROM fund AS named WHERE named.id = \(id)), '')"
        case (.name, _): "coalesce((SELECT name_key FROM \(kind.table) WHERE id = \(id)), '')"
        case (.size, .file): "coalesce((SELECT size FROM file WHERE id = \(id)), 0)"
        case (.size, _), (.deletedAt, _): "0"
        }
    }

    /// By time from the index of deletions, so that the work is bounded by the page; by name and size through all that
    /// is deleted, of which no more than a page is kept. An archived fund counts as one that was deleted then.
    private func roots(after cursor: ListCursor?) throws -> [Root] {
        let kinds = [ItemKind.fund, .folder, .file]
        let isRoot = "owner_id = ?1 AND root_kind = kind AND root_id = item_id AND \(Deletion.isRestorable)"
        var parts: [String]
        if order.key == .deletedAt {
            let numbers = kinds.map { String($0.rawValue) }.joined(separator: ", ")
            let source = SQL.table("deletion", using: "deletion_owner")
            parts = [part("at", "kind", "item_id", of: "\(source) WHERE kind IN (\(numbers)) AND \(isRoot)", cursor)]
        } else {
            parts = kinds.map { kind in
                let value = value(of: kind, id: "deletion.item_id")
                return part(
                    value, "kind", "item_id", of: "deletion WHERE kind = \(kind.rawValue) AND \(isRoot)", cursor)
            }
        }
        if includesArchived {
            parts.append(
                part(
                    order.key == .deletedAt ? "archived_at" : value(of: .fund, id: "fund.id"),
                    "\(ItemKind.fund.rawValue)", "fund.id",
                    of: "\(LibraryView.visibleFunds) WHERE \(LibraryView.Reach.archived.state)", cursor))
        }
        let arguments: SQLArguments =
            try cursor.map {
                [try $0.value(isText: order.key == .name), $0.numbers[0], $0.numbers[1]]
            } ?? []
        let rows = try view.fetch(
            """
            SELECT CAST(value AS TEXT), kind, item_id FROM (\(parts.joined(separator: " UNION ALL ")))
            ORDER BY \(keys("value", "kind", "item_id").order) \(SQL.limit(limit + 1))
            """, arguments)
        return try rows.map { Root(item: try $0.item(1), value: $0[0]) }
    }

    /// The next roots from one source, in SQL.
    private func part(_ value: String, _ kind: String, _ id: String, of source: String, _ cursor: ListCursor?) -> String
    {
        let after = cursor == nil ? "" : "AND \(keys(value, kind, id).isBehind("?2, ?3, ?4"))"
        return """
            SELECT * FROM (SELECT \(value) AS value, \(kind) AS kind, \(id) AS item_id FROM \(source) \(after)
            ORDER BY \(keys("1", "2", "3").order) \(SQL.limit(limit + 1)))
            """
    }

    private func keys(_ value: String, _ kind: String, _ id: String) -> Keyset {
        Keyset(value, kind, id, isDescending: order.isDescending)
    }

    private func resolve(_ roots: [Root]) throws -> [LibraryItemID: LibraryItem] {
        let items = try view.items(.deleted, among: roots.map(\.item))
        return Dictionary(items.map { ($0.itemID, $0) }) { first, _ in first }
    }
}
