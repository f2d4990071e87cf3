package import FundCore

extension SQLLibraryStore {
    package func favourites(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FavouriteEntry> {
        try await viewing("list favourites", of: user) { view in
            try page.list { try FavouriteList(view: view).entries(after: $0, count: $1) }
        }
    }
}

extension FavouriteEntry: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(Int64(item.kind.rawValue), item.number) }
    var textBytes: Int { name.utf8.count + fundName.utf8.count }
}

/// The favourites of a user: by kind, in each by id downwards. That is the order of the marks' own table, so that a
/// page is read from where it begins. Marks of deleted items stay in their table, and are passed over.
private struct FavouriteList {
    let view: LibraryView

    func entries(after cursor: ListCursor?, count: Int) throws -> [FavouriteEntry] {
        var entries: [FavouriteEntry] = []
        for kind in [Self.fund, Self.file, Self.email, Self.note] where entries.count < count {
            let number = Int64(kind.kind.rawValue)
            if let cursor, number < cursor.numbers[0] { continue }
            let start = cursor.flatMap { $0.numbers[0] == number ? $0.numbers[1] : nil }
            entries += try self.entries(of: kind, before: start, limit: count - entries.count)
        }
        return entries
    }

    private func entries(of marked: Marked, before start: Int64?, limit: Int) throws -> [FavouriteEntry] {
        let table = marked.kind.table
        let fund = marked.kind == .fund ? "" : "\(SQL.thenJoin) fund ON fund.id = \(table).fund_id"
        return try view.fetch(
            """
            SELECT \(marked.kind.rawValue), \(table).id, \(marked.name), fund.id, fund.name, \(marked.at),
                \(marked.contentType ?? "NULL"), \(marked.content ?? "NULL, 0"),
                \(marked.kind == .email ? "email.from_address" : "NULL")
            FROM favourite \(SQL.thenJoin) \(table) ON \(table).id = favourite.item_id \(fund)
            WHERE favourite.user_id = ?1 AND favourite.kind = \(marked.kind.rawValue) AND \(marked.condition)
                \(start == nil ? "" : "AND favourite.item_id < ?2")
            ORDER BY favourite.item_id DESC \(SQL.limit(limit))
            """, start.map { [$0] } ?? []
        ) { row in
            var entry = FavouriteEntry(
                item: try row.item(0), name: row[2], fund: row[3], fundName: row[4], date: row[5])
            entry.contentType = row[6]
            entry.sender = row[9]
            if marked.content != nil { entry.content = PreviewedFile(digest: try row.digest(7), size: row[8]) }
            return entry
        }
    }

    /// Terms of SQL for the entries of a kind.
    private struct Marked {
        let kind: ItemKind
        let name: String
        let at: String
        var contentType: String?
        /// Digest and size.
        var content: String?
        let condition: String
    }

    private static let fund = Marked(
        kind: .fund, name: "fund.name", at: "coalesce(fund.modified_at, fund.created_at)",
        condition: LibraryView.inVisibleFund)
    private static let file = Marked(
        kind: .file, name: "file.name", at: "file.modified_at", contentType: "file.content_type",
        content: "(SELECT digest FROM blob WHERE id = file.blob_id), file.size",
        condition: "\(LibraryView.inVisibleFund) AND file.deleted_at IS NULL")
    private static let email = Marked(
        kind: .email, name: "coalesce(email.subject, '')", at: "email.received_at",
        condition: LibraryView.emailScope(.live))
    private static let note = Marked(
        kind: .note, name: "note.title", at: "note.modified_at",
        condition: "\(LibraryView.inVisibleFund) AND note.deleted_at IS NULL")
}
