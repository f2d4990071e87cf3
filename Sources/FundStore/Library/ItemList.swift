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

/// Deleted items that can be restored, latest first, a page at a time.
struct DeletedList {
    /// Rounds of one page: most of what was deleted may lie in funds that were deleted later. Then a page is short.
    private static let maxRounds = 8

    let view: LibraryView
    let limit: Int

    private struct Root {
        var at: Timestamp
        var item: LibraryItemID

        var cursor: ListCursor { ListCursor(at.rawValue, Int64(item.kind.rawValue), item.number) }
    }

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

    /// An archived fund counts as one that was deleted then.
    private func roots(after cursor: ListCursor?) throws -> [Root] {
        let (fund, file) = (ItemKind.fund.rawValue, ItemKind.file.rawValue)
        let start = cursor?.numbers ?? [.max, .max, .max]
        let rows = try view.fetch(
            """
            SELECT at, kind, item_id FROM deletion
                WHERE owner_id = ?1 AND kind BETWEEN \(fund) AND \(file) AND root_kind = kind AND root_id = item_id
                    AND \(Deletion.isRestorable) AND (at, kind, item_id) < (?2, ?3, ?4)
            UNION ALL SELECT archived_at, \(fund), id FROM fund
                WHERE owner_id = ?1 AND archived_at IS NOT NULL AND deleted_at IS NULL
                    AND (archived_at, \(fund), id) < (?2, ?3, ?4)
            ORDER BY 1 DESC, 2 DESC, 3 DESC \(SQL.limit(limit + 1))
            """, start)
        return try rows.map { Root(at: $0[0], item: try $0.item(1)) }
    }

    private func resolve(_ roots: [Root]) throws -> [LibraryItemID: LibraryItem] {
        let items = try view.items(.deleted, among: roots.map(\.item))
        return Dictionary(items.map { ($0.itemID, $0) }) { first, _ in first }
    }
}
