import FundCore

/// One user's library within one transaction. Every query of a library goes through here and is bound to
/// `user`: the conditions that callers give can only narrow it down.
struct LibraryView {
    /// The part of a library that is looked at.
    enum Scope {
        case live
        /// Deleted items that can be restored, in funds that are there.
        case deleted
    }

    /// The funds that are looked at, with what is in them.
    enum Reach: Sendable {
        case present, archived

        /// Condition of every query of items in funds.
        var condition: String { "\(LibraryView.visible(as: "?1")) AND \(state)" }

        /// Condition on funds, which says nothing of who sees them.
        var state: String {
            "fund.deleted_at IS NULL AND fund.archived_at IS \(self == .present ? "" : "NOT ")NULL"
        }
    }

    /// The table with which a query of items begins.
    enum Start {
        case items
        /// The one fund that the condition names: who sees it is asked once, and not again for each item.
        case fund

        /// In SQL, the rows of `table` with their funds.
        func join(_ table: String) -> String {
            let (first, second) = self == .items ? (table, "fund") : ("fund", table)
            return "\(first) \(SQL.thenJoin) \(second) ON fund.id = \(table).fund_id"
        }
    }

    let db: Database
    let user: User.ID
    var reach = Reach.present

    /// Condition on a row of `fund`: the person sees the fund, being a member of it.
    /// - Parameter user: SQL for the person.
    static func visible(as user: String) -> String {
        "EXISTS (SELECT 1 FROM fund_member WHERE fund_member.user_id = \(user) AND fund_member.fund_id = fund.id)"
    }

    /// In SQL, the rows of `fund` that the person `?1` sees, for queries that begin with them.
    static let visibleFunds =
        "fund_member \(SQL.thenJoin) fund ON fund_member.user_id = ?1 AND fund.id = fund_member.fund_id"

    /// Condition of every query of items in all visible funds that are neither deleted nor archived.
    static let inVisibleFund = Reach.present.condition

    /// The order of rows, and the number that is wanted at least.
    struct Sorting {
        var by: String
        var limit: Int

        var sql: String { "ORDER BY \(by) \(SQL.limit(limit))" }
    }

    func missing(_ operation: String = "look into the library") -> StoreError {
        StoreError(.notFound, operation, "there is no such thing")
    }

    /// The one item that was asked for. Throws `notFound`.
    func one<Item>(_ items: [Item]) throws -> Item {
        try items.one("look into the library", "there is no such thing")
    }

    // MARK: Funds

    /// An archived fund is out of sight like a deleted one, and can be restored, but is never purged.
    func funds(
        _ scope: Scope = .live, where condition: String = "1 = 1", _ arguments: SQLArguments = [], limit: Int? = nil
    ) throws -> [FundEntry] {
        let isGone = "(fund.deleted_at IS NOT NULL OR fund.archived_at IS NOT NULL)"
        let isPurged = """
            EXISTS (SELECT 1 FROM deletion WHERE kind = \(ItemKind.fund.rawValue) AND item_id = fund.id
                AND (purged_at IS NOT NULL OR \(Deletion.isFinal)))
            """
        let rows = try fetch(
            """
            SELECT fund.id, fund.name, fund.created_at, coalesce(fund.modified_at, fund.created_at),
                coalesce(fund.deleted_at, fund.archived_at), \(Self.isFavourite(.fund)),
                fund.archived_at IS NOT NULL AND fund.deleted_at IS NULL
            FROM \(Self.visibleFunds) WHERE (\(condition))
                AND \(scope == .live ? reach.state : "\(isGone) AND NOT \(isPurged)")
            ORDER BY fund.name, fund.id \(limit.map(SQL.limit) ?? "")
            """, arguments)
        let aliases = try FundRows.aliases(of: rows.map { $0[0] }, db)
        return rows.map { row in
            let id: Fund.ID = row[0]
            var entry = FundEntry(
                id: id, name: row[1], aliases: aliases[id] ?? [], createdAt: row[2],
                modifiedAt: row[3], deletedAt: row[4], isFavourite: row[5])
            entry.isArchived = row[6]
            return entry
        }
    }

    func fund(_ id: Fund.ID) throws -> FundEntry { try one(funds(where: "fund.id = ?2", [id])) }

    /// The fund whose name (not an alias) reads like this.
    func fund(named name: String) throws -> FundEntry? {
        let key = FundName.key(name)
        let id: Fund.ID? = try db.value("SELECT fund_id FROM fund_key WHERE owner_id = ? AND key = ?", [user, key])
        guard let id, let fund = try funds(where: "fund.id = ?2", [id]).first, FundName.key(fund.name) == key else {
            return nil
        }
        return fund
    }

    // MARK: Folders

    func folders(
        _ scope: Scope = .live, from start: Start = .items, where condition: String, _ arguments: SQLArguments,
        _ sorting: Sorting? = nil
    ) throws -> [FolderEntry] {
        try fetch(
            """
            SELECT folder.id, folder.fund_id, folder.parent_id, folder.name, folder.created_at,
                coalesce(folder.modified_at, folder.created_at), folder.deleted_at
            FROM \(start.join("folder"))
            WHERE \(reach.condition) AND folder.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
            \(sorting?.sql ?? "ORDER BY folder.name_key, folder.id")
            """, arguments
        ) { row in
            var entry = FolderEntry(
                id: row[0], fund: row[1], parent: row[2], name: row[3], createdAt: row[4], modifiedAt: row[5])
            entry.deletedAt = row[6]
            return entry
        }
    }

    func folder(_ id: FolderEntry.ID) throws -> FolderEntry { try one(folders(where: "folder.id = ?2", [id])) }

    func folder(in place: LibraryPlace, key: String) throws -> FolderEntry? {
        try folders(from: .fund, where: "\(Self.lies(.folder)) AND folder.name_key = ?4", place.arguments + [key]).first
    }

    func folders(in place: LibraryPlace) throws -> [FolderEntry] {
        try folders(from: .fund, where: Self.lies(.folder), place.arguments)
    }

    // MARK: Files

    func files(
        _ scope: Scope = .live, from start: Start = .items, where condition: String, _ arguments: SQLArguments,
        _ sorting: Sorting? = nil
    ) throws -> [FileEntry] {
        try fetch(Self.filesSQL(scope, from: start, in: reach, where: condition, sorting), arguments) { row in
            var entry = FileEntry(
                id: row[0], place: LibraryPlace(fund: row[1], folder: row[2]), name: row[3],
                digest: try row.digest(4), size: row[5], contentType: row[6], createdAt: row[7], modifiedAt: row[8])
            entry.deletedAt = row[9]
            entry.attachment = row[10]
            entry.email = row[11]
            entry.isFavourite = row[12]
            return entry
        }
    }

    /// - Parameters:
    ///   - condition: SQL; `?1` is the user.
    ///   - sorting: nil sorts by name.
    static func filesSQL(
        _ scope: Scope = .live, from start: Start, in reach: Reach = .present, where condition: String,
        _ sorting: Sorting? = nil
    ) -> String {
        """
        SELECT file.id, file.fund_id, file.folder_id, file.name, blob.digest, file.size, file.content_type,
            file.created_at, file.modified_at, file.deleted_at, file.attachment_id,
            (SELECT email_id FROM attachment WHERE id = file.attachment_id), \(isFavourite(.file))
        FROM \(start.join("file")) \(SQL.thenJoin) blob ON blob.id = file.blob_id
        WHERE \(reach.condition) AND file.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
        \(sorting?.sql ?? "ORDER BY file.name_key, file.id")
        """
    }

    func file(_ id: FileEntry.ID) throws -> FileEntry { try one(files(where: "file.id = ?2", [id])) }

    func file(in place: LibraryPlace, key: String) throws -> FileEntry? {
        try files(from: .fund, where: "\(Self.lies(.file)) AND file.name_key = ?4", place.arguments + [key]).first
    }

    func files(in place: LibraryPlace) throws -> [FileEntry] {
        try files(from: .fund, where: Self.lies(.file), place.arguments)
    }

    // MARK: Places and items

    /// Throws `notFound` unless the fund and the folder in it are there.
    func check(_ place: LibraryPlace) throws {
        if let folder = place.folder {
            guard try self.folder(folder).fund == place.fund else { throw missing() }
        } else {
            let sql = "SELECT 1 FROM \(Self.visibleFunds) WHERE fund.id = ?2 AND \(reach.state)"
            guard try db.exists(sql, [user, place.fund]) else { throw missing() }
        }
    }

    func check(_ item: LibraryItemID) throws { _ = try fund(of: item) }

    /// The fund in which an item is. Throws `notFound` unless the item is there.
    func fund(of item: LibraryItemID) throws -> Fund.ID {
        switch item {
        case .fund(let id): try fund(id).id
        case .folder(let id): try folder(id).fund
        case .file(let id): try file(id).fund
        case .email(let id): try email(id).fund
        case .note(let id): try note(id).fund
        }
    }

    func state(of item: LibraryItemID) throws -> ItemState {
        switch item {
        case .fund(let id): .item(.fund(try fund(id)))
        case .folder(let id): .item(.folder(try folder(id)))
        case .file(let id): .item(.file(try file(id)))
        case .email(let id): .email(try emailEntry(id))
        case .note(let id): .note(try note(id))
        }
    }

    func item(in place: LibraryPlace, key: String) throws -> LibraryItem? {
        if let file = try file(in: place, key: key) { return .file(file) }
        return try folder(in: place, key: key).map { .folder($0) }
    }

    static func ids(_ items: some Sequence<LibraryItemID>, _ kind: ItemKind) -> SQLArguments {
        [SQL.list(items.filter { $0.kind == kind }.map(\.number))]
    }

    /// A condition on the rows of a kind, with `ids` as arguments.
    static func among(_ kind: ItemKind) -> String { "\(kind.table).id \(SQL.isAmong("?2"))" }

    /// A condition on the rows of folders or files, with `LibraryPlace.arguments`.
    static func lies(_ kind: ItemKind) -> String { "\(kind.table).fund_id = ?2 AND \(kind.parent) = ?3" }

    /// The funds, folders and files among these that are in the scope.
    func items(_ scope: Scope = .live, among items: [LibraryItemID]) throws -> [LibraryItem] {
        try among(items, .fund) { try funds(scope, where: $0, $1) }.map(LibraryItem.fund)
            + among(items, .folder) { try folders(scope, where: $0, $1) }.map(LibraryItem.folder)
            + among(items, .file) { try files(scope, where: $0, $1) }.map(LibraryItem.file)
    }

    /// Reads the items of one kind among some, by a condition with its arguments.
    func among<Entry>(
        _ items: [LibraryItemID], _ kind: ItemKind, _ fetch: (String, SQLArguments) throws -> [Entry]
    ) rethrows -> [Entry] {
        guard items.contains(where: { $0.kind == kind }) else { return [] }
        return try fetch(Self.among(kind), Self.ids(items, kind))
    }

    // MARK: SQL

    /// Reads rows: `?1` is the user, `arguments` follow.
    func fetch(_ sql: String, _ arguments: SQLArguments = []) throws -> [Row] { try db.rows(sql, [user] + arguments) }

    /// `fetch` with `make` as in `Database.rows`.
    func fetch<Value>(
        _ sql: String, _ arguments: SQLArguments = [], as make: (Row) throws -> Value
    ) throws -> [Value] {
        try db.rows(sql, [user] + arguments, as: make)
    }

    static func isFavourite(_ kind: ItemKind) -> String {
        """
        EXISTS (SELECT 1 FROM favourite WHERE user_id = ?1 AND kind = \(kind.rawValue) AND item_id = \(kind.table).id)
        """
    }
}
