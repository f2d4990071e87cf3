import FundCore

/// Folders and then files of a place, a page at a time. Of a place with a filter the files alone.
struct ItemList {
    let view: LibraryView
    let place: LibraryPlace
    var order: ItemOrder
    /// Nil means all.
    var condition: FileCondition?
    let limit: Int

    init(
        _ place: LibraryPlace, by order: ItemOrder, matching filter: FileFilter = FileFilter(), limit: Int,
        _ view: LibraryView
    ) throws {
        (self.view, self.place, self.order, self.limit) = (view, place, order, limit)
        condition =
            filter.isEmpty
            ? nil
            : try FileCondition(
                filter, in: place, hasOrderOfTimes: order.key == .modifiedAt, view)
    }

    /// - Parameter cursor: a kind, an id, and the value by which that kind is ordered.
    func page(after cursor: ListCursor?) throws -> ListPage<LibraryItem> {
        var list = ListPageBuilder<LibraryItem>(limit: limit)
        let kinds = (condition == nil ? [ItemKind.folder, .file] : [.file]).filter {
            $0.rawValue >= cursor?.numbers[0] ?? 0
        }
        for kind in kinds {
            let start = cursor.flatMap { $0.numbers[0] == kind.rawValue ? $0 : nil }
            for item in try items(of: kind, after: start) where !list.add(item) { break }
            if list.hasMore { break }
        }
        return try list.page { try self.cursor(at: $0) }
    }

    /// The files before and behind one that lies in the place.
    func neighbours(of file: FileEntry) throws -> Neighbours<FileEntry> {
        let cursor = try cursor(at: .file(file))
        var reversed = self
        reversed.order.isDescending.toggle()
        return Neighbours(
            previous: try reversed.files(after: cursor).first, next: try files(after: cursor).first)
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

    private func items(of kind: ItemKind, after cursor: ListCursor?) throws -> [LibraryItem] {
        if kind == .file { return try files(after: cursor).map { .file($0) } }
        let rows = try rows(of: .folder, after: cursor)
        return try view.folders(from: .fund, where: rows.condition, rows.arguments, rows.sorting).map { .folder($0) }
    }

    func files(after cursor: ListCursor?) throws -> [FileEntry] {
        let rows = try rows(of: .file, after: cursor)
        return try view.files(from: .fund, where: rows.condition, rows.arguments, rows.sorting)
    }

    /// For `LibraryView.files`, from the fund on.
    struct Rows {
        /// SQL.
        var condition: String
        var arguments: SQLArguments
        var sorting: LibraryView.Sorting
    }

    func rows(of kind: ItemKind, after cursor: ListCursor?) throws -> Rows {
        let column = column(of: kind)
        let keys = Keyset(column, "\(kind.table).id", isDescending: order.isDescending)
        var (condition, arguments) = (LibraryView.lies(kind), place.arguments)
        if let cursor {
            arguments += [try cursor.value(isText: column.hasSuffix("name_key")), cursor.numbers[1]]
            condition += " AND \(keys.isBehind("?4, ?5"))"
        }
        if kind == .file { self.condition?.add(to: &condition, &arguments) }
        let sorting = LibraryView.Sorting(by: keys.order, limit: limit + 1)
        return Rows(condition: condition, arguments: arguments, sorting: sorting)
    }
}
