package import FundCore

extension SQLLibraryStore {
    package func deletedTexts(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DeletedText> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 3) }
        return try await viewing("list deleted mail and notes", of: user) {
            try $0.deletedTexts(after: cursor, limit: page.limit)
        }
    }
}

extension LibraryView {
    /// By time, kind and id downwards: the order of the index of deletions.
    fileprivate func deletedTexts(after cursor: ListCursor?, limit: Int) throws -> ListPage<DeletedText> {
        let (email, note) = (ItemKind.email.rawValue, ItemKind.note.rawValue)
        let after = cursor == nil ? "" : "AND (deletion.at, deletion.kind, deletion.item_id) < (?2, ?3, ?4)"
        let arguments: SQLArguments = cursor.map { [$0.numbers[0], $0.numbers[1], $0.numbers[2]] } ?? []
        let found = try fetch(
            """
            SELECT deletion.kind, deletion.item_id, coalesce(email.subject, note.title, ''), fund.name, deletion.at
            FROM \(SQL.table("deletion", using: "deletion_owner"))
                LEFT JOIN email ON deletion.kind = \(email) AND email.id = deletion.item_id
                LEFT JOIN note ON deletion.kind = \(note) AND note.id = deletion.item_id
                \(SQL.thenJoin) fund ON fund.id = coalesce(email.fund_id, note.fund_id)
            WHERE deletion.owner_id = ?1 AND deletion.kind IN (\(email), \(note)) AND \(Deletion.isRestorable)
                AND \(Self.ownFund) \(after)
            ORDER BY deletion.at DESC, deletion.kind DESC, deletion.item_id DESC \(SQL.limit(limit + 1))
            """, arguments
        ) { row in
            DeletedText(item: try row.item(0), title: row[2], fundName: row[3], deletedAt: row[4])
        }
        return ListPageBuilder.of(found, limit: limit) {
            $0.title.utf8.count + $0.fundName.utf8.count
        } next: {
            ListCursor($0.deletedAt.rawValue, Int64($0.item.kind.rawValue), $0.item.number)
        }
    }
}
