internal import GRDB
internal import Glibc
package import Ingest

/// What a purge took away for good.
package struct PurgeReport: Sendable, Hashable {
    /// Funds, folders, files, emails and notes.
    package var items = 0
    package var blobs = 0
    /// Of the blobs.
    package var bytes: Int64 = 0

    package init() {}
}

extension FundStore {
    /// Takes away for good what was deleted before `time` (seconds since 1970), and then the bytes that no file and no
    /// attachment needs any more. Raw messages stay: they have a retention of their own. Short transactions, so that mail
    /// comes in meanwhile.
    package func purgeDeleted(before time: Int64) async throws -> PurgeReport {
        let operation = "purge what was deleted"
        var report = PurgeReport()
        while true {
            let step = try await changing { [self] in
                // First the rows, durably, then the files, and both before anybody else may write: a crash in between leaves
                // files without need (`verify` finds them), never a need without its file. Who has written the same bytes
                // anew meanwhile finds out when the row is made (BlobRows).
                try write(operation) { db in
                    var step = PurgeStep(db: db, before: time)
                    return try step.run()
                } beforeUnlocking: { [layout] step in
                    for digest in step.digests { unlink(layout.blob(digest)) }
                }
            }
            report.items += step.items
            report.blobs += step.digests.count
            report.bytes += step.bytes
            if step.items + step.spread == 0 { break }
        }
        if report.items > 0 {
            let (items, bytes) = (report.items, report.bytes)
            try await changing { [self] in
                try write(operation) { db in
                    try Audit.write(
                        db, actor: "fundmail", action: "retention", subject: "deleted items",
                        detail: "\(items) items, \(bytes) bytes")
                }
            }
        }
        return report
    }
}

/// One transaction of a purge.
struct PurgeStep {
    /// Items of a transaction: milliseconds.
    private static let maxItems = 500

    private let db: Database
    private let before: Int64
    private let now = currentSeconds()
    private var items = 0
    private var spread = 0
    private var digests: [ContentDigest] = []
    private var bytes: Int64 = 0
    private var freedBlobs: Set<Int64> = []

    init(db: Database, before: Int64) {
        self.db = db
        self.before = before
    }

    struct Result: Sendable {
        var items: Int
        /// Items that were marked as deleted with their fund.
        var spread: Int
        /// Of the blobs whose rows are gone.
        var digests: [ContentDigest]
        var bytes: Int64
    }

    mutating func run() throws -> Result {
        try spreadFunds()
        for kind in [ItemKind.email, .file, .note, .folder] where items < Self.maxItems {
            for id in try due(kind) {
                switch kind {
                case .file: try purgeFile(id)
                case .folder: try purgeFolder(id)
                case .email: try purgeEmail(id)
                default: try purgeNote(id)
                }
                items += 1
            }
        }
        try dropBlobs()
        return Result(items: items, spread: spread, digests: digests, bytes: bytes)
    }

    /// Ids are never used again, since clients keep what they know by id: the last row of a table stays until a later one
    /// is there.
    private func due(_ kind: ItemKind) throws -> [Int64] {
        let isLast =
            switch kind {
            case .file: "item_id < (SELECT max(id) FROM file)"
            case .folder: "item_id < (SELECT max(id) FROM folder)"
            case .email:
                """
                NOT EXISTS (SELECT 1 FROM attachment WHERE email_id = item_id
                    AND id = (SELECT max(id) FROM attachment))
                """
            default: "1"
            }
        return try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT item_id FROM deletion
                    WHERE at < ? AND kind = ? AND purged_at IS NULL AND \(isLast) LIMIT ?
                    """), arguments: [before, kind.rawValue, Self.maxItems - items])
    }

    /// What is in a deleted fund was only out of sight. Now it is deleted with it.
    private mutating func spreadFunds() throws {
        let funds = try Row.fetchAll(
            db,
            sql: """
                SELECT item_id, owner_id, at FROM deletion WHERE kind = \(ItemKind.fund.rawValue) AND at < ?
                    AND purged_at IS NULL
                """, arguments: [before])
        for fund in funds {
            let (id, owner, at): (Int64, Int64, Int64) = (fund[0], fund[1], fund[2])
            var count = 0
            for (kind, table) in [(ItemKind.file, "file"), (.folder, "folder"), (.note, "note"), (.email, "email")] {
                let isLive =
                    kind == .email
                    ? "NOT EXISTS (SELECT 1 FROM deletion WHERE kind = \(kind.rawValue) AND item_id = email.id)"
                    : "deleted_at IS NULL"
                let live = try Int64.fetchAll(
                    db, sql: "SELECT id FROM \(table) WHERE fund_id = ? AND \(isLive) LIMIT ?",
                    arguments: [id, Self.maxItems - spread])
                for item in live {
                    if kind != .email {
                        try execute("UPDATE \(table) SET deleted_at = ? WHERE id = ?", [at, item])
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

    private mutating func purgeFile(_ id: Int64) throws {
        if let blob = try Int64.fetchOne(db, sql: "SELECT blob_id FROM file WHERE id = ?", arguments: [id]) {
            freedBlobs.insert(blob)
        }
        try execute("DELETE FROM file WHERE id = ?", [id])
        try forget(.file(id))
    }

    private func purgeFolder(_ id: Int64) throws {
        // Deleted things that wait for their own time.
        try execute("UPDATE folder SET parent_id = NULL WHERE parent_id = ?", [id])
        try execute("UPDATE file SET folder_id = NULL WHERE folder_id = ?", [id])
        try execute("DELETE FROM folder WHERE id = ?", [id])
        try forget(.folder(id))
    }

    private func purgeNote(_ id: Int64) throws {
        try execute("UPDATE note SET title = '', body = '' WHERE id = ?", [id])
        try finish(.note(id))
    }

    /// The row stays: it keeps another copy of the message from being filed as new.
    private mutating func purgeEmail(_ id: Int64) throws {
        freedBlobs.formUnion(
            try Int64.fetchAll(db, sql: "SELECT blob_id FROM attachment WHERE email_id = ?", arguments: [id]))
        try execute(
            """
            UPDATE file SET attachment_id = NULL
            WHERE attachment_id IN (SELECT id FROM attachment WHERE email_id = ?)
            """, [id])
        try execute("DELETE FROM attachment WHERE email_id = ?", [id])
        try execute(
            "UPDATE email SET subject = NULL, from_address = NULL, text = NULL, html = NULL WHERE id = ?", [id])
        try finish(.email(id))
    }

    private func forget(_ item: LibraryItemID) throws {
        let key: [any DatabaseValueConvertible] = [item.kind.rawValue, item.number]
        try execute("DELETE FROM favourite WHERE kind = ? AND item_id = ?", key)
        try execute("DELETE FROM property WHERE kind = ? AND item_id = ?", key)
        try execute("DELETE FROM deletion WHERE kind = ? AND item_id = ?", key)
    }

    private func finish(_ item: LibraryItemID) throws {
        let key: [any DatabaseValueConvertible] = [item.kind.rawValue, item.number]
        try execute("DELETE FROM favourite WHERE kind = ? AND item_id = ?", key)
        try execute("DELETE FROM property WHERE kind = ? AND item_id = ?", key)
        try execute("UPDATE deletion SET purged_at = ? WHERE kind = ? AND item_id = ?", [now] + key)
    }

    // MARK: Blobs

    private mutating func dropBlobs() throws {
        for id in freedBlobs.sorted() {
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        DELETE FROM blob WHERE id = ?1 AND id < (SELECT max(id) FROM blob)
                            AND NOT EXISTS (SELECT 1 FROM file WHERE blob_id = ?1)
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
