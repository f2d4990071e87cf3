import FundCore

/// The deleted items that a purge removes.
enum PurgeScope: Sendable {
    case before(Timestamp)
    case all(of: User.ID)
    case everything
    /// Items that cannot be restored, see `Deletion.final`.
    case final(of: User.ID)

    /// Condition on rows of `deletion`, with `?1` at most.
    var filter: (sql: String, arguments: SQLArguments) {
        switch self {
        case .before(let time): ("at < ?1", [time])
        case .all(let user): ("owner_id = ?1", [user])
        case .everything: ("1 = 1", [])
        case .final(let user): ("owner_id = ?1 AND \(Deletion.isFinal)", [user])
        }
    }
}

/// One transaction of a purge.
struct PurgeStep {
    /// Items of a transaction: milliseconds.
    private static let maxItems = 500

    let db: Database
    let scope: PurgeScope
    private let now = Timestamp.now
    private(set) var result = Result()
    private(set) var freedBlobs: Set<BlobRows.ID> = []
    private(set) var keptNumbers: Set<RowNumbers.Table> = []
    private(set) var purgedEmails: [EmailSummary.ID] = []

    struct Result: Sendable {
        var items = 0
        /// Items that were marked as deleted with their fund.
        var spread = 0
        var blobs = 0
        var bytes: Int64 = 0
    }

    mutating func run(isFirst: Bool = true) throws -> Result {
        if isFirst { try dropHollow() }
        try spreadFunds()
        for kind in [ItemKind.email, .file, .note, .folder] where result.items < Self.maxItems {
            for number in try due(kind).prefix(Self.maxItems - result.items) {
                switch LibraryItemID(kind, number) {
                case .file(let id): try purgeFile(id)
                case .folder(let id): try purgeFolder(id)
                case .email(let id): try purgeEmail(id)
                case .note(let id): try purgeNote(id)
                case .fund: break
                }
                result.items += 1
            }
        }
        if !purgedEmails.isEmpty { try KnownAddressRows(db: db).forget(purgedEmails) }
        try dropBlobs()
        return result
    }

    private func due(_ kind: ItemKind) throws -> [Int64] {
        try db.values(
            """
            SELECT item_id FROM deletion WHERE (\(scope.filter.sql)) AND kind = \(kind.rawValue)
                AND purged_at IS NULL LIMIT \(Self.maxItems)
            """, scope.filter.arguments)
    }

    /// Rows without content, which earlier versions kept for their ids.
    private mutating func dropHollow() throws {
        for kind in [ItemKind.file, .folder] {
            let hollow: [Int64] = try db.values(
                "SELECT item_id FROM deletion WHERE kind = ? AND purged_at IS NOT NULL", [kind.rawValue])
            for item in hollow { try forget(LibraryItemID(kind, item)) }
        }
    }

    /// Deletes what is in a deleted fund, which was only hidden by it.
    private mutating func spreadFunds() throws {
        let funds = try db.rows(
            """
            SELECT item_id, owner_id, at FROM deletion WHERE (\(scope.filter.sql))
                AND kind = \(ItemKind.fund.rawValue) AND purged_at IS NULL
            """, scope.filter.arguments)
        for fund in funds {
            let (id, owner, at): (Fund.ID, User.ID, Timestamp) = (fund[0], fund[1], fund[2])
            var count = 0
            for kind in [ItemKind.file, .folder, .note, .email] {
                let isLive = kind == .email ? "NOT \(Deletion.hasEmail)" : "deleted_at IS NULL"
                let live: [Int64] = try db.values(
                    "SELECT id FROM \(kind.table) WHERE fund_id = ? AND \(isLive) LIMIT ?",
                    [id, Self.maxItems - result.spread])
                for item in live {
                    if kind != .email {
                        try db.execute("UPDATE \(kind.table) SET deleted_at = ? WHERE id = ?", [at, item])
                    }
                    try Deletion.note(LibraryItemID(kind, item), of: owner, at, root: .fund(id), db)
                }
                count += live.count
                result.spread += live.count
            }
            guard count == 0 else { return }
            // Its row stays, because the marks of its emails refer to it.
            try db.execute("DELETE FROM fund_alias WHERE fund_id = ?", [id])
            try db.execute("DELETE FROM visit WHERE fund_id = ?", [id])
            try LetterRows(db: db).remove(of: id)
            try finish(.fund(id))
            result.items += 1
        }
    }

    // MARK: Items

    private mutating func purgeFile(_ id: FileEntry.ID) throws {
        if let blob: BlobRows.ID = try db.value("SELECT blob_id FROM file WHERE id = ?", [id]) {
            freedBlobs.insert(blob)
        }
        try forget(.file(id))
    }

    private mutating func purgeFolder(_ id: FolderEntry.ID) throws {
        // Deleted things that wait for their own time.
        try db.execute("UPDATE folder SET parent_id = NULL WHERE parent_id = ?", [id])
        try db.execute("UPDATE file SET folder_id = NULL WHERE folder_id = ?", [id])
        try forget(.folder(id))
    }

    private func purgeNote(_ id: NoteEntry.ID) throws {
        try db.execute("UPDATE note SET title = '', body = '' WHERE id = ?", [id])
        try finish(.note(id))
    }

    /// The row stays: it keeps another copy of the message from being filed as new.
    private mutating func purgeEmail(_ id: EmailSummary.ID) throws {
        freedBlobs.formUnion(try db.values("SELECT blob_id FROM attachment WHERE email_id = ?", [id]))
        let attachments = "SELECT id FROM attachment WHERE email_id = ?"
        try db.execute("UPDATE file SET attachment_id = NULL WHERE attachment_id IN (\(attachments))", [id])
        try noteLast(.attachment)
        try db.execute("DELETE FROM attachment WHERE email_id = ?", [id])
        try db.execute(
            "UPDATE email SET subject = NULL, from_address = NULL, text = NULL, html = NULL WHERE id = ?", [id])
        try OutboxRows(db: db, now: now).dropPurged(id)
        purgedEmails.append(id)
        try finish(.email(id))
    }

    /// Removes the item's row with all that was known of it.
    private mutating func forget(_ item: LibraryItemID) throws {
        try noteLast(item.kind == .file ? .file : .folder)
        try db.execute("DELETE FROM \(item.kind.table) WHERE id = ?", [item.number])
        try finish(item)
        try Deletion.forget(item, db)
    }

    /// Marks an item as purged, once the content of its row is gone.
    private func finish(_ item: LibraryItemID) throws {
        try Deletion.dropMarks(of: item, db)
        try db.execute("UPDATE deletion SET purged_at = ? WHERE kind = ? AND item_id = ?", [now] + item.arguments)
    }

    /// Keeps the last id of a table before rows of it are removed: once in the transaction, which adds none.
    private mutating func noteLast(_ table: RowNumbers.Table) throws {
        if keptNumbers.insert(table).inserted { try RowNumbers.noteLast(table, db) }
    }

    // MARK: Blobs

    private mutating func dropBlobs() throws {
        let sizes = try BlobRows(db: db).dropUnused(freedBlobs.sorted())
        result.blobs += sizes.count
        result.bytes += sizes.reduce(0, +)
    }
}
