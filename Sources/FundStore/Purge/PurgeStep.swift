internal import GRDB
import FundCore

/// Which deleted items a purge removes.
enum PurgeScope: Sendable {
    /// Deleted before this time.
    case before(Timestamp)
    case all(of: User.ID)
    case everything
    /// Items that cannot be restored, see `Deletion.final`.
    case final(of: User.ID)

    /// Of the rows of `deletion`, with `?1` at most.
    var condition: String {
        switch self {
        case .before: "at < ?1"
        case .all: "owner_id = ?1"
        case .everything: "1"
        case .final: "owner_id = ?1 AND \(Deletion.isFinal)"
        }
    }

    var arguments: [any DatabaseValueConvertible] {
        switch self {
        case .before(let time): [time]
        case .all(let user): [user]
        case .everything: []
        case .final(let user): [user]
        }
    }
}

/// One transaction of a purge.
struct PurgeStep {
    /// Items of a transaction: milliseconds.
    private static let maxItems = 500

    private let db: Database
    private let scope: PurgeScope
    private let files: StoreFiles
    private let now = Timestamp.now
    private var items = 0
    private var spread = 0
    private var digests: [ContentDigest] = []
    private var bytes: Int64 = 0
    private var freedBlobs: Set<Int64> = []

    init(db: Database, scope: PurgeScope, files: StoreFiles) {
        self.db = db
        self.scope = scope
        self.files = files
    }

    struct Result: Sendable {
        var items: Int
        /// Items that were marked as deleted with their fund.
        var spread: Int
        /// Of the blobs whose rows are gone.
        var digests: [ContentDigest]
        var bytes: Int64
    }

    mutating func run(isFirst: Bool = true) throws -> Result {
        if isFirst { try dropHollow() }
        try spreadFunds()
        for kind in [ItemKind.email, .file, .note, .folder] where items < Self.maxItems {
            for id in try due(kind) {
                switch kind {
                case .file: try purgeFile(.init(id))
                case .folder: try purgeFolder(.init(id))
                case .email: try purgeEmail(.init(id))
                default: try purgeNote(.init(id))
                }
                items += 1
            }
        }
        try dropBlobs()
        return Result(items: items, spread: spread, digests: digests, bytes: bytes)
    }

    private func due(_ kind: ItemKind) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT item_id FROM deletion WHERE (\(scope.condition)) AND kind = \(kind.rawValue)
                        AND purged_at IS NULL LIMIT \(Self.maxItems - items)
                    """), arguments: StatementArguments(scope.arguments))
    }

    /// Ids are never used again, since clients keep what they know by id. SQLite gives the next row the id after the
    /// last one, so the last row of a table stays, without its content, until a later one is there.
    private func isLast(_ id: Int64, in table: String) throws -> Bool {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(table)")) == id
    }

    /// Rows that were kept only for their ids and are no longer the last of their tables.
    private func dropHollow() throws {
        for kind in [ItemKind.file, .folder] {
            let hollow = try Int64.fetchAll(
                db, sql: "SELECT item_id FROM deletion WHERE kind = \(kind.rawValue) AND purged_at IS NOT NULL")
            for id in hollow where try !isLast(id, in: kind.table) {
                try execute("DELETE FROM \(kind.table) WHERE id = ?", [id])
                try forget(LibraryItemID(kind, id))
            }
        }
    }

    /// Deletes what is in a deleted fund, which was only hidden by it.
    private mutating func spreadFunds() throws {
        let funds = try Row.fetchAll(
            db,
            sql: """
                SELECT item_id, owner_id, at FROM deletion WHERE (\(scope.condition))
                    AND kind = \(ItemKind.fund.rawValue) AND purged_at IS NULL
                """, arguments: StatementArguments(scope.arguments))
        for fund in funds {
            let (id, owner, at): (Fund.ID, User.ID, Timestamp) = (fund[0], fund[1], fund[2])
            var count = 0
            for kind in [ItemKind.file, .folder, .note, .email] {
                let isLive =
                    kind == .email
                    ? "NOT EXISTS (SELECT 1 FROM deletion WHERE kind = \(kind.rawValue) AND item_id = email.id)"
                    : "deleted_at IS NULL"
                let live = try Int64.fetchAll(
                    db, sql: "SELECT id FROM \(kind.table) WHERE fund_id = ? AND \(isLive) LIMIT ?",
                    arguments: [id, Self.maxItems - spread])
                for item in live {
                    if kind != .email {
                        try execute("UPDATE \(kind.table) SET deleted_at = ? WHERE id = ?", [at, item])
                    }
                    try execute(
                        """
                        INSERT INTO deletion (kind, item_id, owner_id, at, root_kind, root_id) VALUES (?, ?, ?, ?, ?, ?)
                        """, [kind.rawValue, item, owner, at, ItemKind.fund.rawValue, id])
                }
                count += live.count
                spread += live.count
            }
            guard count == 0 else { return }
            // Its row stays, because the marks of its emails refer to it.
            try execute("DELETE FROM fund_alias WHERE fund_id = ?", [id])
            try finish(.fund(id))
            items += 1
        }
    }

    // MARK: Items

    private mutating func purgeFile(_ id: FileEntry.ID) throws {
        if let blob = try Int64.fetchOne(db, sql: "SELECT blob_id FROM file WHERE id = ?", arguments: [id]) {
            freedBlobs.insert(blob)
        }
        guard try isLast(id.rawValue, in: "file") else {
            try execute("DELETE FROM file WHERE id = ?", [id])
            return try forget(.file(id))
        }
        try execute(
            """
            UPDATE file SET blob_id = ?, size = 0, name = '', name_key = '', content_type = '', attachment_id = NULL
            WHERE id = ?
            """, [try emptyBlob(), id])
        try finish(.file(id))
    }

    private func purgeFolder(_ id: FolderEntry.ID) throws {
        // Deleted things that wait for their own time.
        try execute("UPDATE folder SET parent_id = NULL WHERE parent_id = ?", [id])
        try execute("UPDATE file SET folder_id = NULL WHERE folder_id = ?", [id])
        guard try isLast(id.rawValue, in: "folder") else {
            try execute("DELETE FROM folder WHERE id = ?", [id])
            return try forget(.folder(id))
        }
        try execute("UPDATE folder SET parent_id = NULL, name = '', name_key = '' WHERE id = ?", [id])
        try finish(.folder(id))
    }

    private func purgeNote(_ id: NoteEntry.ID) throws {
        try execute("UPDATE note SET title = '', body = '' WHERE id = ?", [id])
        try finish(.note(id))
    }

    /// The row stays: it keeps another copy of the message from being filed as new.
    private mutating func purgeEmail(_ id: EmailSummary.ID) throws {
        freedBlobs.formUnion(
            try Int64.fetchAll(db, sql: "SELECT blob_id FROM attachment WHERE email_id = ?", arguments: [id]))
        try execute(
            """
            UPDATE file SET attachment_id = NULL
            WHERE attachment_id IN (SELECT id FROM attachment WHERE email_id = ?)
            """, [id])
        try execute(
            "DELETE FROM attachment WHERE email_id = ? AND id < (SELECT max(id) FROM attachment)", [id])
        if try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM attachment WHERE email_id = ?)", arguments: [id])
            == true
        {
            try execute(
                """
                UPDATE attachment SET blob_id = ?, size = 0, sent_name = NULL, display_name = '', content_id = NULL
                WHERE email_id = ?
                """, [try emptyBlob(), id])
        }
        try execute(
            "UPDATE email SET subject = NULL, from_address = NULL, text = NULL, html = NULL WHERE id = ?", [id])
        try finish(.email(id))
    }

    /// After the item's row is gone.
    private func forget(_ item: LibraryItemID) throws {
        try finish(item)
        try execute("DELETE FROM deletion WHERE kind = ? AND item_id = ?", [item.kind.rawValue, item.number])
    }

    /// After the content of the item's row is gone.
    private func finish(_ item: LibraryItemID) throws {
        let key: [any DatabaseValueConvertible] = [item.kind.rawValue, item.number]
        try execute("DELETE FROM favourite WHERE kind = ? AND item_id = ?", key)
        try execute("DELETE FROM property WHERE kind = ? AND item_id = ?", key)
        try execute("UPDATE deletion SET purged_at = ? WHERE kind = ? AND item_id = ?", [now] + key)
    }

    // MARK: Blobs

    /// The content of rows that are kept only for their ids.
    private func emptyBlob() throws -> Int64 {
        try BlobRows(db: db, layout: files.layout).id(of: try files.makeEmptyBlob(), size: 0)
    }

    private mutating func dropBlobs() throws {
        for id in freedBlobs.sorted() {
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE blob_id = ?1)
                            AND NOT EXISTS (SELECT 1 FROM attachment WHERE blob_id = ?1) RETURNING digest, size
                        """), arguments: [id])
            guard let row else { continue }
            digests.append(try ContentDigest(column: row[0]))
            bytes += row[1] as Int64
        }
    }

    private func execute(_ sql: String, _ arguments: [any DatabaseValueConvertible]) throws {
        try db.cachedStatement(sql: sql).execute(arguments: StatementArguments(arguments))
    }
}
