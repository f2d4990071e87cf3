internal import GRDB
import FundCore

/// One user's library within one transaction. Every query of a library goes through here and is bound to
/// `user`: the conditions that callers give can only narrow it down.
struct LibraryView {
    /// What of a library is looked at.
    enum Scope {
        /// What is there.
        case live
        /// What is deleted and can be restored, in funds that are there.
        case deleted
    }

    let db: Database
    let user: User.ID

    /// Of every other kind's query.
    private static let ownFund = "fund.owner_id = ?1 AND fund.deleted_at IS NULL AND fund.archived_at IS NULL"

    /// How rows are ordered, and how many are wanted.
    struct Sorting {
        /// SQL.
        var by: String
        var limit: Int

        var sql: String { "ORDER BY \(by) LIMIT \(limit)" }
    }

    func missing(_ operation: String = "look into the library") -> StoreError {
        StoreError(.notFound, operation, "there is no such thing")
    }

    // MARK: Funds

    /// An archived fund is out of sight like a deleted one, and can be restored, but is never purged.
    func funds(
        _ scope: Scope = .live, where condition: String = "1", _ arguments: [any DatabaseValueConvertible] = [],
        limit: Int? = nil
    ) throws -> [FundEntry] {
        let isGone = "(fund.deleted_at IS NOT NULL OR fund.archived_at IS NOT NULL)"
        let isPurged = """
            EXISTS (SELECT 1 FROM deletion WHERE kind = \(ItemKind.fund.rawValue) AND item_id = fund.id
                AND (purged_at IS NOT NULL OR \(Deletion.isFinal)))
            """
        let rows = try fetch(
            """
            SELECT fund.id, fund.name, fund.created_at, coalesce(fund.modified_at, fund.created_at),
                coalesce(fund.deleted_at, fund.archived_at), \(isFavourite(.fund, "fund.id"))
            FROM fund WHERE fund.owner_id = ?1 AND (\(condition))
                AND \(scope == .live ? "NOT \(isGone)" : "\(isGone) AND NOT \(isPurged)")
            ORDER BY fund.name, fund.id \(limit.map { "LIMIT \($0)" } ?? "")
            """, arguments)
        let aliases = try db.cachedStatement(sql: "SELECT name FROM fund_alias WHERE fund_id = ? ORDER BY id")
        return try rows.map { row in
            FundEntry(
                id: row[0], name: row[1], aliases: try String.fetchAll(aliases, arguments: [row[0] as Int64]),
                createdAt: row[2], modifiedAt: row[3], deletedAt: row[4], isFavourite: row[5])
        }
    }

    func fund(_ id: Fund.ID) throws -> FundEntry {
        guard let fund = try funds(where: "fund.id = ?2", [id]).first else { throw missing() }
        return fund
    }

    /// The fund whose name (not an alias) reads like this.
    func fund(named name: String) throws -> FundEntry? {
        let key = FundName.key(name)
        let id = try Int64.fetchOne(
            db.cachedStatement(sql: "SELECT fund_id FROM fund_key WHERE owner_id = ? AND key = ?"),
            arguments: [user, key])
        guard let id, let fund = try funds(where: "fund.id = ?2", [id]).first, FundName.key(fund.name) == key else {
            return nil
        }
        return fund
    }

    // MARK: Folders

    func folders(
        _ scope: Scope = .live, where condition: String, _ arguments: [any DatabaseValueConvertible],
        _ sorting: Sorting? = nil
    ) throws -> [FolderEntry] {
        try fetch(
            """
            SELECT folder.id, folder.fund_id, folder.parent_id, folder.name, folder.created_at,
                coalesce(folder.modified_at, folder.created_at), folder.deleted_at
            FROM folder CROSS JOIN fund ON fund.id = folder.fund_id
            WHERE \(Self.ownFund) AND folder.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
            \(sorting?.sql ?? "ORDER BY folder.name_key, folder.id")
            """, arguments
        ) { row in
            var entry = FolderEntry(
                id: row[0], fund: row[1], parent: row[2], name: row[3], createdAt: row[4], modifiedAt: row[5])
            entry.deletedAt = row[6]
            return entry
        }
    }

    func folder(_ id: FolderEntry.ID) throws -> FolderEntry {
        guard let folder = try folders(where: "folder.id = ?2", [id]).first else { throw missing() }
        return folder
    }

    func folder(in place: LibraryPlace, key: String) throws -> FolderEntry? {
        try folders(
            where: "folder.fund_id = ?2 AND \(ParentFolder.of("folder.parent_id")) = ?3 AND folder.name_key = ?4",
            [place.fund, place.folder ?? 0, key]
        ).first
    }

    func folders(in place: LibraryPlace) throws -> [FolderEntry] {
        try folders(
            where: "folder.fund_id = ?2 AND \(ParentFolder.of("folder.parent_id")) = ?3",
            [place.fund, place.folder ?? 0])
    }

    // MARK: Files

    func files(
        _ scope: Scope = .live, where condition: String, _ arguments: [any DatabaseValueConvertible],
        _ sorting: Sorting? = nil
    ) throws -> [FileEntry] {
        try fetch(
            """
            SELECT file.id, file.fund_id, file.folder_id, file.name, blob.digest, file.size, file.content_type,
                file.created_at, file.modified_at, file.deleted_at, file.attachment_id,
                (SELECT email_id FROM attachment WHERE id = file.attachment_id), \(isFavourite(.file, "file.id"))
            FROM file CROSS JOIN fund ON fund.id = file.fund_id CROSS JOIN blob ON blob.id = file.blob_id
            WHERE \(Self.ownFund) AND file.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
            \(sorting?.sql ?? "ORDER BY file.name_key, file.id")
            """, arguments
        ) { row in
            var entry = FileEntry(
                id: row[0], place: LibraryPlace(fund: row[1], folder: row[2]), name: row[3],
                digest: try ContentDigest(column: row[4]), size: row[5], contentType: row[6], createdAt: row[7],
                modifiedAt: row[8])
            entry.deletedAt = row[9]
            entry.attachment = row[10]
            entry.email = row[11]
            entry.isFavourite = row[12]
            return entry
        }
    }

    func file(_ id: FileEntry.ID) throws -> FileEntry {
        guard let file = try files(where: "file.id = ?2", [id]).first else { throw missing() }
        return file
    }

    func file(in place: LibraryPlace, key: String) throws -> FileEntry? {
        try files(
            where: "file.fund_id = ?2 AND \(ParentFolder.of("file.folder_id")) = ?3 AND file.name_key = ?4",
            [place.fund, place.folder ?? 0, key]
        ).first
    }

    func files(in place: LibraryPlace) throws -> [FileEntry] {
        try files(
            where: "file.fund_id = ?2 AND \(ParentFolder.of("file.folder_id")) = ?3", [place.fund, place.folder ?? 0])
    }

    // MARK: Places and items

    /// Throws `notFound` unless the fund and the folder in it are there.
    func check(_ place: LibraryPlace) throws {
        guard let folder = place.folder else { return _ = try fund(place.fund) }
        guard try self.folder(folder).fund == place.fund else { throw missing() }
    }

    /// Throws `notFound` unless the item is there.
    func check(_ item: LibraryItemID) throws {
        switch item {
        case .fund(let id): _ = try fund(id)
        case .folder(let id): _ = try folder(id)
        case .file(let id): _ = try file(id)
        case .email(let id): _ = try email(id)
        case .note(let id): _ = try note(id)
        }
    }

    /// Throws `notFound` unless the item is there.
    func state(of item: LibraryItemID) throws -> ItemState {
        switch item {
        case .fund(let id): .item(.fund(try fund(id)))
        case .folder(let id): .item(.folder(try folder(id)))
        case .file(let id): .item(.file(try file(id)))
        case .email(let id): .email(try emailEntry(id))
        case .note(let id): .note(try note(id))
        }
    }

    /// What has this name in a place: the file or the folder.
    func item(in place: LibraryPlace, key: String) throws -> LibraryItem? {
        if let file = try file(in: place, key: key) { return .file(file) }
        return try folder(in: place, key: key).map { .folder($0) }
    }

    /// For `among`: one statement serves any number of items.
    static func ids(_ items: some Sequence<LibraryItemID>, _ kind: ItemKind) -> [any DatabaseValueConvertible] {
        ["[" + items.filter { $0.kind == kind }.map { "\($0.number)" }.joined(separator: ",") + "]"]
    }

    /// A condition on the rows of a kind, with `ids` as arguments.
    static func among(_ kind: ItemKind) -> String { "\(kind.table).id IN (SELECT value FROM json_each(?2))" }

    /// Those of these funds, folders and files that are in the scope.
    func items(_ scope: Scope = .live, among items: [LibraryItemID]) throws -> [LibraryItem] {
        var found = try funds(scope, where: Self.among(.fund), Self.ids(items, .fund)).map(LibraryItem.fund)
        found += try folders(scope, where: Self.among(.folder), Self.ids(items, .folder)).map(LibraryItem.folder)
        found += try files(scope, where: Self.among(.file), Self.ids(items, .file)).map(LibraryItem.file)
        return found
    }

    // MARK: Mail and notes

    static let emailColumns = """
        email.id, email.fund_id, email.subject, email.from_address, email.sent_at, email.received_at,
            (SELECT count(*) FROM attachment WHERE email_id = email.id AND is_inline = 0),
            EXISTS (SELECT 1 FROM favourite WHERE user_id = ?1 AND kind = \(ItemKind.email.rawValue)
                AND item_id = email.id),
            (SELECT at FROM deletion WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id)
        """

    /// To be added to every query of emails that names `email` and `fund`.
    static func emailScope(_ scope: Scope) -> String {
        let deletion = "SELECT 1 FROM deletion WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id"
        return switch scope {
        case .live: "\(ownFund) AND NOT EXISTS (\(deletion))"
        case .deleted: "\(ownFund) AND EXISTS (\(deletion) AND \(Deletion.isRestorable))"
        }
    }

    func email(_ id: EmailSummary.ID, _ scope: Scope = .live) throws -> EmailSummary {
        let rows = try fetch(
            """
            SELECT \(Self.emailColumns) FROM email CROSS JOIN fund ON fund.id = email.fund_id
            WHERE \(Self.emailScope(scope)) AND email.id = ?2
            """, [id])
        guard let row = rows.first else { throw missing() }
        return EmailSummary(libraryRow: row)
    }

    /// With all that its reader sees.
    func emailEntry(_ id: EmailSummary.ID) throws -> EmailEntry {
        let summary = try email(id)
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT text, html, defects, internet_message_id FROM email WHERE id = ?"),
            arguments: [id])
        guard let row else { throw missing() }
        return EmailEntry(
            summary: summary, text: row[0], html: row[1],
            attachments: try attachments(where: "attachment.email_id = ?2", [id]),
            defects: (row[2] as String).split(separator: " ").map(String.init), internetMessageID: row[3])
    }

    func attachments(where condition: String, _ arguments: [any DatabaseValueConvertible]) throws -> [AttachmentEntry] {
        try fetch(
            """
            SELECT attachment.id, attachment.email_id, attachment.display_name, attachment.content_type,
                attachment.size, blob.digest, attachment.is_inline, attachment.content_id, attachment.part_path
            FROM attachment CROSS JOIN email ON email.id = attachment.email_id
                CROSS JOIN fund ON fund.id = email.fund_id CROSS JOIN blob ON blob.id = attachment.blob_id
            WHERE \(Self.emailScope(.live)) AND (\(condition)) ORDER BY attachment.id
            """, arguments
        ) { row in
            var entry = AttachmentEntry(
                id: row[0], email: row[1], name: row[2], contentType: row[3], size: row[4],
                digest: try ContentDigest(column: row[5]))
            entry.isInline = row[6]
            entry.contentID = row[7]
            entry.partPath = row[8]
            return entry
        }
    }

    func notes(_ scope: Scope = .live, where condition: String, _ arguments: [any DatabaseValueConvertible]) throws
        -> [NoteEntry]
    {
        try fetch(
            """
            SELECT note.id, note.fund_id, note.title, note.body, note.created_at, note.modified_at,
                \(isFavourite(.note, "note.id"))
            FROM note CROSS JOIN fund ON fund.id = note.fund_id
            WHERE \(Self.ownFund) AND note.deleted_at IS \(scope == .live ? "" : "NOT ")NULL AND (\(condition))
            ORDER BY note.modified_at, note.id
            """, arguments
        ) { row in
            NoteEntry(
                id: row[0], fund: row[1], text: NoteText(title: row[2], content: row[3]), createdAt: row[4],
                modifiedAt: row[5], isFavourite: row[6])
        }
    }

    func note(_ id: NoteEntry.ID, _ scope: Scope = .live) throws -> NoteEntry {
        guard let note = try notes(scope, where: "note.id = ?2", [id]).first else { throw missing() }
        return note
    }

    // MARK: SQL

    /// `?1` is the user, `arguments` follow.
    func fetch(_ sql: String, _ arguments: [any DatabaseValueConvertible] = []) throws -> [Row] {
        try Row.fetchAll(db.cachedStatement(sql: sql), arguments: StatementArguments([user] + arguments))
    }

    /// The same, each row made into a value before the next one is read: a list copies no rows. `make` asks for
    /// nothing.
    func fetch<Value>(
        _ sql: String, _ arguments: [any DatabaseValueConvertible] = [], as make: (Row) throws -> Value
    ) throws -> [Value] {
        let rows = try Row.fetchCursor(
            db.cachedStatement(sql: sql), arguments: StatementArguments([user] + arguments))
        var values: [Value] = []
        while let row = try rows.next() { values.append(try make(row)) }
        return values
    }

    private func isFavourite(_ kind: ItemKind, _ id: String) -> String {
        "EXISTS (SELECT 1 FROM favourite WHERE user_id = ?1 AND kind = \(kind.rawValue) AND item_id = \(id))"
    }
}

extension EmailSummary {
    /// `LibraryView.emailColumns`.
    init(libraryRow row: Row) {
        self.init(
            id: row[0], fund: row[1], subject: row[2], from: row[3], sentAt: row[4], receivedAt: row[5],
            attachmentCount: row[6], isFavourite: row[7], deletedAt: row[8])
    }
}
