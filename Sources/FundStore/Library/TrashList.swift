package import FundCore

extension SQLLibraryStore {
    package func trash(of user: User.ID, _ page: PageQuery) async throws -> ListPage<TrashEntry> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list the trash", of: user) { view in
            let list = DeletedList(view: view, order: TrashOrder(), limit: page.limit, includesArchived: false)
            let found = try list.page(after: cursor)
            return ListPage(items: try TrashList(view: view).entries(found.items), next: found.next)
        }
    }

    package func archivedFunds(of user: User.ID, _ page: PageQuery) async throws -> ListPage<ArchivedFund> {
        try await viewing("list archived funds", of: user) { view in
            try page.list { try TrashList(view: view).archivedFunds(after: $0, count: $1) }
        }
    }

    package func trashQuestion(of user: User.ID) async throws -> TrashQuestion {
        try await viewing("count what is in the trash", of: user) { view in
            let point = ChangeCursor(
                epoch: try ChangeEpochs.current(view.db), number: try ChangeFeed.last(of: user, view.db))
            return TrashQuestion(asOf: point, counts: try TrashCounts(TrashContent(of: user, upTo: nil), view.db))
        }
    }
}

extension ArchivedFund: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(fund.deletedAt?.rawValue ?? 0, fund.id.rawValue) }
    var textBytes: Int { fund.name.utf8.count }
}

/// Deleted and archived items with where they lay and who put them there: a page at a time, by one question for each
/// kind of thing that is to be said.
private struct TrashList {
    let view: LibraryView

    private static let archivedKeys = Keyset("fund.archived_at", "fund.id", isDescending: true)
    /// Seconds within which the audit trail names what happened to a fund.
    private static let auditSeconds = 2

    func entries(_ items: [LibraryItem]) throws -> [TrashEntry] {
        let ids = items.map(\.itemID)
        let places = try places(of: ids, .file).merging(try places(of: ids, .folder)) { first, _ in first }
        let people = try actors(ids, .fundDelete, at: "deleted_at")
        let owner = try UserRows.email(of: view.user, view.db, "list the trash")
        return items.map { item in
            let id = item.itemID
            let person = people[id].flatMap { $0 == owner ? nil : $0 }
            return TrashEntry(item, fundName: places[id]?.fund, folderName: places[id]?.folder, deletedBy: person)
        }
    }

    private func places(
        of items: [LibraryItemID], _ kind: ItemKind
    ) throws -> [LibraryItemID: (fund: String, folder: String?)] {
        let rows = try view.fetch(
            """
            SELECT \(kind.table).id, fund.name, holder.name FROM \(kind.table)
                \(SQL.thenJoin) fund ON fund.id = \(kind.table).fund_id
                LEFT JOIN folder AS holder ON holder.id = \(kind.table).\(kind.parentColumn)
            WHERE \(LibraryView.visible(as: "?1")) AND \(LibraryView.among(kind))
            """, LibraryView.ids(items, kind)
        ) { row -> (LibraryItemID, (fund: String, folder: String?)) in
            (LibraryItemID(kind, row[0]), (row[1], row[2]))
        }
        return Dictionary(rows) { first, _ in first }
    }

    /// The persons who did something to funds, by the audit trail. It has the names of funds alone, and another user
    /// may have one of the same name: only the owner and administrators may have done it.
    /// - Parameter at: the column with the time at which it was done.
    private func actors(_ items: [LibraryItemID], _ action: AuditAction, at column: String) throws -> [LibraryItemID:
        String]
    {
        let rows = try view.fetch(
            """
            SELECT fund.id, audit.actor FROM fund \(SQL.thenJoin) audit ON audit.action = ?3
                AND audit.at BETWEEN fund.\(column) AND fund.\(column) + \(Self.auditSeconds)
                AND audit.subject = fund.name
                AND audit.actor IN (SELECT email FROM "user" WHERE id = ?1 OR is_administrator = 1)
            WHERE \(LibraryView.visible(as: "?1")) AND \(LibraryView.among(.fund)) ORDER BY audit.id
            """, LibraryView.ids(items, .fund) + [action.rawValue]
        ) { row -> (LibraryItemID, String) in (LibraryItemID(.fund, row[0]), row[1]) }
        return Dictionary(rows) { first, _ in first }
    }

    // MARK: Archived funds

    func archivedFunds(after cursor: ListCursor?, count: Int) throws -> [ArchivedFund] {
        let after = cursor == nil ? "" : "AND \(Self.archivedKeys.isBehind("?2, ?3"))"
        let rows = try view.fetch(
            """
            SELECT fund.id,
                (SELECT count(*) FROM \(SQL.table("file", using: "file_live"))
                    WHERE file.fund_id = fund.id AND file.deleted_at IS NULL),
                (SELECT count(*) FROM \(SQL.table("email", using: "email_arrival"))
                    WHERE email.fund_id = fund.id AND NOT \(Deletion.hasEmail))
            FROM \(LibraryView.visibleFunds) WHERE \(LibraryView.Reach.archived.state) \(after)
            ORDER BY \(Self.archivedKeys.order) \(SQL.limit(count))
            """, cursor?.numbers ?? []
        ) { row -> (id: Fund.ID, files: Int, emails: Int) in (row[0], row[1], row[2]) }
        let ids = rows.map { LibraryItemID.fund($0.id) }
        let people = try actors(ids, .fundArchive, at: "archived_at")
        let funds = try view.among(ids, .fund) { try view.funds(.deleted, where: $0, $1) }
        let found = Dictionary(funds.map { ($0.id, $0) }) { first, _ in first }
        return rows.compactMap { row in
            found[row.id].map {
                ArchivedFund(
                    fund: $0, fileCount: row.files, emailCount: row.emails, archivedBy: people[.fund(row.id)])
            }
        }
    }
}

/// The rows of `deletion` that a user sees in the trash, with those of what went with them.
private struct TrashContent {
    let filter: String
    let arguments: SQLArguments

    /// - Parameter change: the last change that counts, of the present history; nil for all of them.
    init(of user: User.ID, upTo change: ChangeCursor?) {
        let all = "owner_id = ?1 AND \(Deletion.isRestorable) AND NOT \(Deletion.isInArchive)"
        guard let change else {
            (filter, arguments) = (all, [user])
            return
        }
        let latest = """
            SELECT seq FROM change WHERE change.kind = deletion.kind AND change.item_id = deletion.item_id
                AND change.user_id = ?1
            """
        (filter, arguments) = ("\(all) AND coalesce((\(latest)), 0) <= ?2", [user, change.number])
    }
}

extension LibraryChange {
    /// Lets go for good what the user sees in the trash: all of it in this transaction, whatever is deleted while a
    /// purge works through it.
    /// - Parameter shown: what the user was asked about; nil for all of it.
    /// - Throws: `conflict` when not all that was shown is there as it was.
    func makeTrashFinal(asShown shown: TrashQuestion?) throws {
        let content = TrashContent(of: user, upTo: shown?.asOf)
        if let shown {
            let isOfThisStore = (try? ChangeEpochs.check(shown.asOf, of: user, db)) != nil
            guard isOfThisStore, try TrashCounts(content, db) == shown.counts else {
                throw StoreError(.conflict, "empty the trash", "it has other things by now than were shown")
            }
        }
        try db.execute("UPDATE deletion SET at = \(Deletion.final.column) WHERE \(content.filter)", content.arguments)
    }
}

extension TrashCounts {
    /// Counts of what was deleted by itself: what went with a folder or fund counts as that.
    fileprivate init(_ content: TrashContent, _ db: Database) throws {
        let rows = try db.rows(
            """
            SELECT kind, count(*) FROM \(SQL.table("deletion", using: "deletion_owner"))
            WHERE \(content.filter) AND root_kind = kind AND root_id = item_id GROUP BY kind
            """, content.arguments)
        let found = Dictionary(rows.map { (row) -> (Int, Int) in (row[0], row[1]) }) { first, _ in first }
        self.init()
        funds = found[ItemKind.fund.rawValue] ?? 0
        folders = found[ItemKind.folder.rawValue] ?? 0
        files = found[ItemKind.file.rawValue] ?? 0
        emails = found[ItemKind.email.rawValue] ?? 0
        notes = found[ItemKind.note.rawValue] ?? 0
    }
}
