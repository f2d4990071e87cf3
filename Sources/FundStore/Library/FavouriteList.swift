package import FundCore

extension SQLiteLibraryStore {
    package func favourites(of user: User.ID, _ page: PageQuery) async throws -> Page<FavouriteEntry> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2) }
        return try await viewing("list favourites", of: user) {
            try FavouriteList(view: $0, limit: page.limit).page(after: cursor)
        }
    }
}

/// What a user marked, of all kinds: by kind, in each by id downwards. Marks of what is deleted stay in their table,
/// and are passed over. All that a user marked is looked at for each page: people mark dozens, not thousands.
private struct FavouriteList {
    let view: LibraryView
    let limit: Int

    func page(after cursor: ListCursor?) throws -> Page<FavouriteEntry> {
        let (kind, number) = (cursor?.numbers[0] ?? -1, cursor?.numbers[1] ?? 0)
        let entries = try view.fetch(
            """
            SELECT kind, id, name, fund_id, fund_name, at, content_type FROM (\(Self.marked))
            WHERE kind > ?2 OR (kind = ?2 AND id < ?3)
            ORDER BY kind, id DESC \(SQL.limit(limit + 1))
            """, [kind, number]
        ) { row in
            var entry = FavouriteEntry(
                item: try row.item(0), name: row[2], fund: row[3], fundName: row[4], date: row[5])
            entry.contentType = row[6]
            return entry
        }
        return ListPage.of(entries, limit: limit) {
            $0.name.utf8.count + $0.fundName.utf8.count
        } next: {
            ListCursor(Int64($0.item.kind.rawValue), $0.item.number)
        }
    }

    private static let marked = [
        select(.fund, name: "fund.name", at: "coalesce(fund.modified_at, fund.created_at)", if: LibraryView.ownFund),
        select(
            .file, name: "file.name", at: "file.modified_at", contentType: "file.content_type",
            if: "\(LibraryView.ownFund) AND file.deleted_at IS NULL"),
        select(
            .email, name: "coalesce(email.subject, '')", at: "email.received_at", if: LibraryView.emailScope(.live)),
        select(
            .note, name: "note.title", at: "note.modified_at",
            if: "\(LibraryView.ownFund) AND note.deleted_at IS NULL"),
    ].joined(separator: " UNION ALL ")

    /// From the marks, not through all rows of the kind.
    private static func select(
        _ kind: ItemKind, name: String, at: String, contentType: String = "NULL", if condition: String
    ) -> String {
        let table = kind.table
        let fund = kind == .fund ? "" : "CROSS JOIN fund ON fund.id = \(table).fund_id"
        return """
            SELECT \(kind.rawValue) AS kind, \(table).id AS id, \(name) AS name, fund.id AS fund_id,
                fund.name AS fund_name, \(at) AS at, \(contentType) AS content_type
            FROM favourite CROSS JOIN \(table) ON \(table).id = favourite.item_id \(fund)
            WHERE favourite.user_id = ?1 AND favourite.kind = \(kind.rawValue) AND \(condition)
            """
    }
}
