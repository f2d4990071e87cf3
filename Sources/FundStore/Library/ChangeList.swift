import FundCore

/// The changes of a user's library, a page at a time, within one transaction: a change and its item are of the same
/// moment.
struct ChangeList {
    let view: LibraryView
    let limit: Int

    private typealias Row = (item: LibraryItemID, number: Int64)

    func page(after cursor: ChangeCursor?, withItems: Bool) throws -> ChangePage {
        if let cursor { try ChangeEpochs.check(cursor, of: view.user, view.db) }
        let epoch = try ChangeEpochs.current(view.db)
        let rows: [Row] = try view.fetch(
            """
            SELECT seq, kind, item_id FROM change WHERE user_id = ?1 AND seq > ?2
            UNION ALL SELECT seq, kind, item_id FROM departure WHERE owner_id = ?1 AND seq > ?2
            ORDER BY seq \(SQL.limit(limit + 1))
            """, [cursor?.number ?? 0]
        ) { (try $0.item(1), $0[0]) }
        let list = try fitting(rows, withItems: withItems)
        let found = try withItems ? items(list.items) : [:]
        let changes = try list.items.map { item, number in
            ChangePage.Change(
                cursor: ChangeCursor(epoch: epoch, number: number), item: item,
                isDeleted: withItems ? found[item] == nil : try !view.holds(item), now: found[item])
        }
        let last = changes.last?.cursor ?? ChangeCursor(epoch: epoch, number: cursor?.number ?? 0)
        return ChangePage(
            changes: changes, cursor: last, hasMore: list.hasMore, history: try StoreHistory.current(view.db))
    }

    /// The first changes, as many as the texts of their items allow.
    private func fitting(_ rows: [Row], withItems: Bool) throws -> ListPageBuilder<Row> {
        var sizes: [LibraryItemID: Int] = [:]
        if withItems {
            let ids = rows.map(\.item)
            sizes = try textBytes(ids, .note, "body").merging(textBytes(ids, .email, "subject")) { first, _ in first }
        }
        var list = ListPageBuilder<Row>(limit: limit)
        for row in rows where !list.add(row, textBytes: sizes[row.item] ?? 0) { break }
        return list
    }

    private func textBytes(
        _ ids: [LibraryItemID], _ kind: ItemKind, _ column: String
    ) throws -> [LibraryItemID: Int] {
        guard ids.contains(where: { $0.kind == kind }) else { return [:] }
        let rows: [(LibraryItemID, Int)] = try view.db.rows(
            "SELECT id, coalesce(\(SQL.bytes(column)), 0) FROM \(kind.table) WHERE id \(SQL.isAmong("?1"))",
            LibraryView.ids(ids, kind)
        ) { (LibraryItemID(kind, $0[0]), $0[1]) }
        return Dictionary(rows) { first, _ in first }
    }

    /// The items that are there, by one query for each kind.
    private func items(_ rows: [Row]) throws -> [LibraryItemID: ChangedItem] {
        let ids = rows.map(\.item)
        let found =
            try view.items(among: ids).map(ChangedItem.item)
            + view.among(ids, .email) { try view.emails(where: $0, $1) }.map(ChangedItem.email)
            + view.among(ids, .note) { try view.notes(where: $0, $1) }.map(ChangedItem.note)
        return Dictionary(found.map { ($0.itemID, $0) }) { first, _ in first }
    }
}

extension LibraryView {
    fileprivate func holds(_ item: LibraryItemID) throws -> Bool {
        do {
            try check(item)
            return true
        } catch let error as StoreError where error.code == .notFound {
            return false
        }
    }
}
