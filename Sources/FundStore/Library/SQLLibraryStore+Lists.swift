package import FundCore

/// A user's lists in pages. Each page is a query of its own, bounded by `PageQuery.limit` and
/// `ListPageBuilder.maxTextBytes`.
extension SQLLibraryStore {
    package func funds(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FundEntry> {
        try await viewing("list funds", of: user) { try $0.fundPage(page) }
    }

    package func children(
        of place: LibraryPlace, by order: ItemOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<LibraryItem> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list a folder", of: user) { view in
            try view.check(place)
            return try ItemList(place, by: order, limit: page.limit, view).page(after: cursor)
        }
    }

    package func countChildren(of place: LibraryPlace, of user: User.ID) async throws -> Int {
        try await viewing("count what is in a folder", of: user) { view in
            try view.check(place)
            let lies = "fund_id = ?1 AND deleted_at IS NULL"
            return try view.db.value(
                """
                SELECT (SELECT count(*) FROM file WHERE \(lies) AND \(ItemKind.file.parent) = ?2)
                    + (SELECT count(*) FROM folder WHERE \(lies) AND \(ItemKind.folder.parent) = ?2)
                """, place.arguments) ?? 0
        }
    }

    package func deletedItems(
        of user: User.ID, by order: TrashOrder, _ page: PageQuery
    ) async throws -> ListPage<LibraryItem> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2, texts: 1) }
        return try await viewing("list what is deleted", of: user) {
            try DeletedList(view: $0, order: order, limit: page.limit).page(after: cursor)
        }
    }

    package func zipItems(
        _ selection: ZipSelection, atMost maxItems: Int, of user: User.ID
    ) async throws -> [ZipItem] {
        let quarantine = quarantine
        return try await viewing("list a zip file", of: user) {
            try ZipList(selection, atMost: maxItems, $0, quarantine).items
        }
    }

    package func notes(
        in fund: Fund.ID, since: Timestamp?, _ page: PageQuery = PageQuery(), of user: User.ID
    ) async throws -> NotePage {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 2) }
        return try await viewing("list notes", of: user) { view in
            _ = try view.fund(fund)
            return try view.notePage(in: fund, since: since, after: cursor, limit: page.limit)
        }
    }

    package func notes(
        in fund: Fund.ID, by order: NoteOrder, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<NoteEntry> {
        let cursor = try page.cursor.map { try ListCursor(decoding: $0, numbers: 1, texts: 1) }
        return try await viewing("list notes", of: user) { view in
            _ = try view.fund(fund)
            return try NoteList(view: view, fund: fund, order: order, limit: page.limit).page(after: cursor)
        }
    }

    package func senders(in fund: Fund.ID, atMost count: Int, of user: User.ID) async throws -> [String] {
        let recent = 200
        return try await viewing("list senders", of: user) { view in
            var query = EmailQuery()
            query.fund = fund
            var (senders, known): ([String], Set<String>) = ([], [])
            for case let sender? in try EmailList(query, view).senders(count: recent) {
                guard known.insert(sender.lowercased()).inserted else { continue }
                senders.append(sender)
                if senders.count == count { break }
            }
            return senders
        }
    }

    package func countNotes(in fund: Fund.ID, of user: User.ID) async throws -> Int {
        try await viewing("count notes", of: user) { view in
            _ = try view.fund(fund)
            let sql = "SELECT count(*) FROM note WHERE fund_id = ? AND \(NoteList.isLive)"
            return try view.db.value(sql, [fund]) ?? 0
        }
    }

    package func countEmails(in fund: Fund.ID, of user: User.ID) async throws -> Int {
        try await viewing("count emails", of: user) { view in
            _ = try view.fund(fund)
            return try view.db.value(
                """
                SELECT count(*) FROM email \(SQL.thenJoin) fund ON fund.id = email.fund_id
                WHERE \(LibraryView.emailScope(.live)) AND email.fund_id = ?2
                """, [user, fund]) ?? 0
        }
    }
}

extension LibraryView {
    /// Funds by name.
    func fundPage(_ page: PageQuery) throws -> ListPage<FundEntry> {
        try page.list { cursor, count in
            let after: SQLArguments = cursor.map { [$0.texts[0], $0.numbers[0]] } ?? []
            let condition = after.isEmpty ? "1 = 1" : Keyset("fund.name", "fund.id").isBehind("?2, ?3")
            return try funds(where: condition, after, limit: count)
        }
    }

    /// Notes with the oldest change first. With `since` also the ids of those that are deleted by now.
    fileprivate func notePage(
        in fund: Fund.ID, since: Timestamp?, after cursor: ListCursor?, limit: Int
    ) throws -> NotePage {
        let (time, id) = cursor.map { ($0.numbers[0], $0.numbers[1]) } ?? (since?.rawValue ?? Int64.min, Int64(0))
        var list = ListPageBuilder<(id: NoteEntry.ID, time: Timestamp, isDeleted: Bool)>(limit: limit)
        try db.forEach(
            """
            SELECT id, modified_at, deleted_at IS NOT NULL, \(SQL.bytes("body")) FROM note
            WHERE fund_id = ?1 AND (modified_at, id) > (?2, ?3) AND (?4 = 1 OR deleted_at IS NULL)
            ORDER BY modified_at, id LIMIT ?5
            """, [fund, time, id, since != nil, limit + 1]
        ) { row in
            let isDeleted: Bool = row[2]
            return list.add((row[0], row[1], isDeleted), textBytes: isDeleted ? 0 : row[3])
        }
        let ids = list.items.filter { !$0.isDeleted }.map(\.id.rawValue)
        return NotePage(
            notes: try notes(where: Self.among(.note), [SQL.list(ids)]),
            deleted: list.items.filter(\.isDeleted).map(\.id),
            next: list.page { ListCursor($0.time.rawValue, $0.id.rawValue) }.next)
    }
}

extension FundEntry: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (1, 1) }
    var cursor: ListCursor { ListCursor(id.rawValue, texts: [name]) }
    var textBytes: Int { aliases.reduce(name.utf8.count) { $0 + $1.utf8.count } }
}
