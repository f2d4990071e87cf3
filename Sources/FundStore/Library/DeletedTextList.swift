package import FundCore

extension SQLLibraryStore {
    package func deletedTexts(of user: User.ID, _ page: PageQuery) async throws -> ListPage<DeletedText> {
        try await viewing("list deleted mail and notes", of: user) { view in
            try page.list { try view.deletedTexts(after: $0, count: $1) }
        }
    }
}

extension DeletedText: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (3, 0) }
    var cursor: ListCursor { ListCursor(deletedAt.rawValue, Int64(item.kind.rawValue), item.number) }
    var textBytes: Int { title.utf8.count + fundName.utf8.count }
}

extension LibraryView {
    /// Deleted emails and notes in the order of the index of deletions: by time, kind and id downwards.
    fileprivate func deletedTexts(after cursor: ListCursor?, count: Int) throws -> [DeletedText] {
        let (email, note) = (ItemKind.email.rawValue, ItemKind.note.rawValue)
        let keys = Keyset("deletion.at", "deletion.kind", "deletion.item_id", isDescending: true)
        return try fetch(
            """
            SELECT deletion.kind, deletion.item_id, coalesce(email.subject, note.title, ''), fund.name, deletion.at,
                email.from_address
            FROM \(SQL.table("deletion", using: "deletion_owner"))
                LEFT JOIN email ON deletion.kind = \(email) AND email.id = deletion.item_id
                LEFT JOIN note ON deletion.kind = \(note) AND note.id = deletion.item_id
                \(SQL.thenJoin) fund ON fund.id = coalesce(email.fund_id, note.fund_id)
            WHERE deletion.owner_id = ?1 AND deletion.kind IN (\(email), \(note)) AND \(Deletion.isRestorable)
                AND \(Self.inVisibleFund) \(cursor == nil ? "" : "AND \(keys.isBehind("?2, ?3, ?4"))")
            ORDER BY \(keys.order) \(SQL.limit(count))
            """, cursor?.numbers ?? []
        ) { row in
            var text = DeletedText(item: try row.item(0), title: row[2], fundName: row[3], deletedAt: row[4])
            text.sender = row[5]
            return text
        }
    }
}
