import FundCore

/// Folders and then files of a place, a page at a time.
struct ItemList {
    let view: LibraryView
    let place: LibraryPlace
    let order: ItemOrder
    let limit: Int

    /// - Parameter cursor: a kind, an id, and the value by which that kind is ordered.
    func page(after cursor: ListCursor?) throws -> Page<LibraryItem> {
        var list = ListPage<LibraryItem>(limit: limit)
        let kinds = [ItemKind.folder, .file].filter { $0.rawValue >= cursor?.numbers[0] ?? 0 }
        for kind in kinds {
            let start = cursor.flatMap { $0.numbers[0] == kind.rawValue ? $0 : nil }
            for item in try items(of: kind, after: start) where !list.add(item) { break }
            if list.hasMore { break }
        }
        return try list.page { try self.cursor(at: $0) }
    }

    private func cursor(at item: LibraryItem) throws -> ListCursor {
        let id = item.itemID
        let value: String? = try view.db.value(
            "SELECT CAST(\(column(of: id.kind)) AS TEXT) FROM \(id.kind.table) WHERE id = ?", [id.number])
        return ListCursor(Int64(id.kind.rawValue), id.number, texts: [value ?? ""])
    }

    private func column(of kind: ItemKind) -> String {
        switch (order.key, kind) {
        case (.name, .folder), (.size, .folder): "folder.name_key"
        case (.modifiedAt, .folder): "coalesce(folder.modified_at, folder.created_at)"
        case (.name, _): "file.name_key"
        case (.modifiedAt, _): "file.modified_at"
        case (.size, _): "file.size"
        }
    }

    private func value(of cursor: ListCursor, _ column: String) throws -> any SQLValue {
        if column.hasSuffix("name_key") { return cursor.texts[0] }
        guard let number = Int64(cursor.texts[0]) else {
            throw StoreError(.invalid, "list a folder", "there is no such cursor")
        }
        return number
    }

    private func items(of kind: ItemKind, after cursor: ListCursor?) throws -> [LibraryItem] {
        let (table, column) = (kind.table, column(of: kind))
        var (condition, arguments) = (LibraryView.lies(kind), place.arguments)
        if let cursor {
            arguments += [try value(of: cursor, column), cursor.numbers[1]]
            condition += " AND (\(column), \(table).id) \(order.isDescending ? "<" : ">") (?4, ?5)"
        }
        let direction = order.isDescending ? "DESC" : "ASC"
        let sorting = LibraryView.Sorting(by: "\(column) \(direction), \(table).id \(direction)", limit: limit + 1)
        return kind == .folder
            ? try view.folders(where: condition, arguments, sorting).map { .folder($0) }
            : try view.files(where: condition, arguments, sorting).map { .file($0) }
    }
}

/// Deleted items that can be restored, a page at a time.
struct DeletedList {
    /// Rounds of one page: most of what was deleted may lie in funds that were deleted later. Then a page is short.
    private static let maxRounds = 8

    let view: LibraryView
    let order: TrashOrder
    let limit: Int

    private struct Root {
        var item: LibraryItemID
        /// By which the list is ordered, as text.
        var value: String

        var cursor: ListCursor { ListCursor(Int64(item.kind.rawValue), item.number, texts: [value]) }
    }

    /// - Parameter start: a kind, an id, and the value by which the list is ordered.
    func page(after start: ListCursor?) throws -> Page<LibraryItem> {
        var (items, cursor): ([LibraryItem], ListCursor?) = ([], start)
        for _ in 0..<Self.maxRounds {
            let roots = try self.roots(after: cursor)
            let found = try resolve(roots)
            for root in roots {
                if let item = found[root.item] {
                    if items.count == limit { return Page(items: items, next: cursor?.text) }
                    items.append(item)
                }
                cursor = root.cursor
            }
            if roots.count <= limit { return Page(items: items, next: nil) }
        }
        return Page(items: items, next: cursor?.text)
    }

    /// Of a fund, folder or file.
    private func value(of kind: ItemKind, id: String, at: String) -> String {
        switch (order.key, kind) {
        case (.deletedAt, _): at
        case (.name, .fund): "coalesce((SELECT lower(named.name) FROM fund AS named WHERE named.id = \(id)), '')"
        case (.name, _): "coalesce((SELECT name_key FROM \(kind.table) WHERE id = \(id)), '')"
        case (.size, .file): "coalesce((SELECT size FROM file WHERE id = \(id)), 0)"
        case (.size, _): "0"
        }
    }

    /// An archived fund counts as one that was deleted then.
    private func roots(after cursor: ListCursor?) throws -> [Root] {
        let kinds = [ItemKind.fund, .folder, .file]
        var parts = kinds.map { kind in
            """
            SELECT \(value(of: kind, id: "deletion.item_id", at: "deletion.at")) AS value, kind, item_id FROM deletion
            WHERE owner_id = ?1 AND kind = \(kind.rawValue) AND root_kind = kind AND root_id = item_id
                AND \(Deletion.isRestorable)
            """
        }
        parts.append(
            """
            SELECT \(value(of: .fund, id: "fund.id", at: "fund.archived_at")) AS value, \(ItemKind.fund.rawValue), id
            FROM fund WHERE owner_id = ?1 AND archived_at IS NOT NULL AND deleted_at IS NULL
            """)
        let direction = order.isDescending ? "DESC" : "ASC"
        var (condition, arguments): (String, SQLArguments) = ("1 = 1", [])
        if let cursor {
            condition = "(value, kind, item_id) \(order.isDescending ? "<" : ">") (?2, ?3, ?4)"
            arguments = [try start(of: cursor), cursor.numbers[0], cursor.numbers[1]]
        }
        let rows = try view.fetch(
            """
            SELECT CAST(value AS TEXT), kind, item_id FROM (\(parts.joined(separator: " UNION ALL ")))
            WHERE \(condition)
            ORDER BY value \(direction), kind \(direction), item_id \(direction) \(SQL.limit(limit + 1))
            """, arguments)
        return try rows.map { Root(item: try $0.item(1), value: $0[0]) }
    }

    private func start(of cursor: ListCursor) throws -> any SQLValue {
        if order.key == .name { return cursor.texts[0] }
        guard let number = Int64(cursor.texts[0]) else {
            throw StoreError(.invalid, "list what is deleted", "there is no such cursor")
        }
        return number
    }

    private func resolve(_ roots: [Root]) throws -> [LibraryItemID: LibraryItem] {
        let items = try view.items(.deleted, among: roots.map(\.item))
        return Dictionary(items.map { ($0.itemID, $0) }) { first, _ in first }
    }
}
