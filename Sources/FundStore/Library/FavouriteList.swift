package import FundCore

extension SQLLibraryStore {
    package func favourites(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FavouriteEntry> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2) }
        return try await viewing("list favourites", of: user) {
            try FavouriteList(view: $0, limit: page.limit).page(after: cursor)
        }
    }
}

/// What a user marked, of all kinds: by kind, in each by id downwards. That is the order of the marks' own table, so
/// that a page is read from where it begins. Marks of what is deleted stay in their table, and are passed over.
private struct FavouriteList {
    let view: LibraryView
    let limit: Int

    func page(after cursor: ListCursor?) throws -> ListPage<FavouriteEntry> {
        var entries: [FavouriteEntry] = []
        for kind in [Self.fund, Self.file, Self.email, Self.note] {
            let number = Int64(kind.kind.rawValue)
            if let cursor, number < cursor.numbers[0] { continue }
            let start = cursor.flatMap { $0.numbers[0] == number ? $0.numbers[1] : nil }
            entries += try self.entries(of: kind, before: start, limit: limit + 1 - entries.count)
            if entries.count > limit { break }
        }
        return ListPageBuilder.of(entries, limit: limit) {
            $0.name.utf8.count + $0.fundName.utf8.count
        } next: {
            ListCursor(Int64($0.item.kind.rawValue), $0.item.number)
        }
    }

    private func entries(of marked: Marked, before start: Int64?, limit: Int) throws -> [FavouriteEntry] {
        let table = marked.kind.table
        let fund = marked.kind == .fund ? "" : "\(SQL.thenJoin) fund ON fund.id = \(table).fund_id"
        return try view.fetch(
            """
            SELECT \(marked.kind.rawValue), \(table).id, \(marked.name), fund.id, fund.name, \(marked.at),
                \(marked.contentType ?? "NULL")
            FROM favourite \(SQL.thenJoin) \(table) ON \(table).id = favourite.item_id \(fund)
            WHERE favourite.user_id = ?1 AND favourite.kind = \(marked.kind.rawValue) AND \(marked.condition)
                \(start == nil ? "" : "AND favourite.item_id < ?2")
            ORDER BY favourite.item_id DESC \(SQL.limit(limit))
            """, start.map { [$0] } ?? []
        ) { row in
            var entry = FavouriteEntry(
                item: try row.item(0), name: row[2], fund: row[3], fundName: row[4], date: row[5])
            entry.contentType = row[6]
            return entry
        }
    }

    /// What is listed of a kind, in SQL.
    private struct Marked {
        let kind: ItemKind
        let name: String
        let at: String
        var contentType: String?
        let condition: String
    }

    private static let fund = Marked(
        kind: .fund, name: "fund.name", at: "coalesce(fund.modified_at, fund.created_at)",
        condition: LibraryView.ownFund)
    private static let file = Marked(
        kind: .file, name: "file.name", at: "file.modified_at", contentType: "file.content_type",
        condition: "\(LibraryView.ownFund) AND file.deleted_at IS NULL")
    private static let email = Marked(
        kind: .email, name: "coalesce(email.subject, '')", at: "email.received_at",
        condition: LibraryView.emailScope(.live))
    private static let note = Marked(
        kind: .note, name: "note.title", at: "note.modified_at",
        condition: "\(LibraryView.ownFund) AND note.deleted_at IS NULL")
}
