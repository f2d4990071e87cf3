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

/// What one user has deleted and can still restore.
package struct TrashRecord: Sendable, Hashable {
    package var email: String
    package var items: Int
    /// Of deleted files; fewer come free where others need the same bytes.
    package var bytes: Int64
}

extension FundStore {
    /// Takes away for good what was deleted before `time` (seconds since 1970), and then the bytes that no file and no
    /// attachment needs any more. Raw messages stay: they have a retention of their own. Short transactions, so that mail
    /// comes in meanwhile. Works on a full disk.
    package func purgeDeleted(before time: Int64) async throws -> PurgeReport {
        let report = try await purge(.before(time))
        try await note(report, "retention", of: "deleted items", by: "fundmail")
        return report
    }

    /// The same for all that a user, or anybody, has deleted until now. Raw messages and misrouted mail stay.
    @discardableResult
    package func emptyTrash(of user: User.ID?, actor: String) async throws -> PurgeReport {
        let report = try await purge(user.map { .all(of: $0) } ?? .everything)
        var subject = "everybody"
        if let user { subject = try read("empty the trash") { try UserRows.email(of: user, $0, "empty the trash") } }
        try await note(report, "trash.empty", of: subject, by: actor)
        return report
    }

    package func emptyTrash(of user: User.ID) async throws -> Int {
        let email = try await emailOfOwner(user)
        return try await emptyTrash(of: user, actor: email).items
    }

    package func deleteForGood(_ item: LibraryItemID, of user: User.ID) async throws {
        let operation = "delete an item for good"
        let email = try await emailOfOwner(user)
        try await changing(operation, .reserve, of: user) { change in
            guard try change.root(of: item) != nil else { throw change.view.missing() }
            try change.doom(item)
        }
        let report = try await purge(.doomed(of: user))
        try await note(report, "trash.delete", of: "\(item.kind) \(item.number)", by: email)
    }

    /// What each user has deleted and can still restore, most bytes first.
    package func trash() async throws -> [TrashRecord] {
        try await blocking { [self] in
            try read("look into the trash") { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT user.email, count(*), ifnull(sum(file.size), 0) AS bytes FROM deletion
                            JOIN user ON user.id = deletion.owner_id
                            LEFT JOIN file ON deletion.kind = \(ItemKind.file.rawValue) AND file.id = deletion.item_id
                        WHERE deletion.purged_at IS NULL GROUP BY user.id ORDER BY bytes DESC, user.email
                        """
                ).map { TrashRecord(email: $0[0], items: $0[1], bytes: $0[2]) }
            }
        }
    }

    private func emailOfOwner(_ user: User.ID) async throws -> String {
        try await blocking { [self] in
            try read("find a user") { try UserRows.email(of: user, $0, "find a user") }
        }
    }

    private func purge(_ scope: PurgeScope) async throws -> PurgeReport {
        var report = PurgeReport()
        while true {
            let isFirst = report.items == 0
            let step = try await changing { [self] in
                // First the rows, durably, then the files, and both before anybody else may write: a crash in between leaves
                // files without need (`verify` finds them), never a need without its file. Who has written the same bytes
                // anew meanwhile finds out when the row is made (BlobRows).
                try write("purge what was deleted", .reserve) { db in
                    var step = PurgeStep(db: db, scope: scope, store: self)
                    return try step.run(isFirst: isFirst)
                } beforeUnlocking: { [layout] step in
                    for digest in step.digests { unlink(layout.blob(digest)) }
                }
            }
            report.items += step.items
            report.blobs += step.digests.count
            report.bytes += step.bytes
            if step.items + step.spread == 0 { break }
        }
        if report.items > 0 { try await changing { [self] in try giveBackSpace() } }
        return report
    }

    private func note(_ report: PurgeReport, _ action: String, of subject: String, by actor: String) async throws {
        guard report.items > 0 else { return }
        try await changing { [self] in
            try write("note a purge", .reserve) { db in
                try Audit.write(
                    db, actor: actor, action: action, subject: subject,
                    detail: "\(report.items) items, \(report.bytes) bytes")
            }
        }
    }
}

/// What of all that is deleted goes for good.
enum PurgeScope: Sendable {
    /// Deleted before this time, in seconds since 1970.
    case before(Int64)
    case all(of: User.ID)
    case everything
    /// What cannot be restored any more.
    case doomed(of: User.ID)

    /// Of the rows of `deletion`, with `?1` at most.
    fileprivate var condition: String {
        switch self {
        case .before: "at < ?1"
        case .all: "owner_id = ?1"
        case .everything: "1"
        case .doomed: "owner_id = ?1 AND at = \(Deletion.doomed)"
        }
    }

    fileprivate var arguments: [any DatabaseValueConvertible] {
        switch self {
        case .before(let time): [time]
        case .all(let user): [user]
        case .everything: []
        case .doomed(let user): [user]
        }
    }
}

/// A row of `deletion`.
enum Deletion {
    /// As its time: it goes for good and cannot be restored. A purge that was interrupted is finished by the next one, whatever its
    /// scope, since all else was deleted later.
    static let doomed: Int64 = 0
}

extension LibraryChange {
    /// With what was deleted with it, and, of a fund, with what was deleted in it before.
    func doom(_ item: LibraryItemID) throws {
        try execute(
            """
            UPDATE deletion SET at = \(Deletion.doomed) WHERE owner_id = ?1 AND purged_at IS NULL
                AND (kind = ?2 AND item_id = ?3 OR root_kind = ?2 AND root_id = ?3)
            """, [user, item.kind.rawValue, item.number])
        guard case .fund(let fund) = item else { return }
        for (kind, table) in [(ItemKind.file, "file"), (.folder, "folder"), (.note, "note"), (.email, "email")] {
            try execute(
                """
                UPDATE deletion SET at = \(Deletion.doomed) WHERE kind = ?1 AND owner_id = ?2 AND purged_at IS NULL
                    AND item_id IN (SELECT id FROM \(table) WHERE fund_id = ?3)
                """, [kind.rawValue, user, fund])
        }
    }
}

/// One transaction of a purge.
struct PurgeStep {
    /// Items of a transaction: milliseconds.
    private static let maxItems = 500

    private let db: Database
    private let scope: PurgeScope
    private let store: FundStore
    private let now = currentSeconds()
    private var items = 0
    private var spread = 0
    private var digests: [ContentDigest] = []
    private var bytes: Int64 = 0
    private var freedBlobs: Set<Int64> = []

    init(db: Database, scope: PurgeScope, store: FundStore) {
        self.db = db
        self.scope = scope
        self.store = store
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

    private func due(_ kind: ItemKind) throws -> [Int64] {
        try Int64.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT item_id FROM deletion WHERE (\(scope.condition)) AND kind = \(kind.rawValue)
                        AND purged_at IS NULL LIMIT \(Self.maxItems - items)
                    """), arguments: StatementArguments(scope.arguments))
    }

    /// Ids are never used again, since clients keep what they know by id. SQLite gives the next row the id after the last one, so the
    /// last row of a table stays, without its content, until a later one is there.
    private func isLast(_ id: Int64, in table: String) throws -> Bool {
        try Int64.fetchOne(db.cachedStatement(sql: "SELECT max(id) FROM \(table)")) == id
    }

    /// What stayed for its id alone, and is the last of its table no more.
    private func dropHollow() throws {
        for (kind, table) in [(ItemKind.file, "file"), (.folder, "folder")] {
            let hollow = try Int64.fetchAll(
                db, sql: "SELECT item_id FROM deletion WHERE kind = \(kind.rawValue) AND purged_at IS NOT NULL")
            for id in hollow where try !isLast(id, in: table) {
                try execute("DELETE FROM \(table) WHERE id = ?", [id])
                try forget(LibraryItemID(kind, id))
            }
        }
    }

    /// What is in a deleted fund was only out of sight. Now it is deleted with it.
    private mutating func spreadFunds() throws {
        let funds = try Row.fetchAll(
            db,
            sql: """
                SELECT item_id, owner_id, at FROM deletion WHERE (\(scope.condition))
                    AND kind = \(ItemKind.fund.rawValue) AND purged_at IS NULL
                """, arguments: StatementArguments(scope.arguments))
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
        guard try isLast(id, in: "file") else {
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

    private func purgeFolder(_ id: Int64) throws {
        // Deleted things that wait for their own time.
        try execute("UPDATE folder SET parent_id = NULL WHERE parent_id = ?", [id])
        try execute("UPDATE file SET folder_id = NULL WHERE folder_id = ?", [id])
        guard try isLast(id, in: "folder") else {
            try execute("DELETE FROM folder WHERE id = ?", [id])
            return try forget(.folder(id))
        }
        try execute("UPDATE folder SET parent_id = NULL, name = '', name_key = '' WHERE id = ?", [id])
        try finish(.folder(id))
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

    /// The content of rows that stay for their ids alone.
    private func emptyBlob() throws -> Int64 {
        let digest = ContentDigest.of([])
        try store.makeEmptyBlob(digest)
        return try BlobRows(db: db, layout: store.layout).id(of: digest, size: 0)
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

extension FundStore {
    /// Makes the file of a blob without content, durably, unless it is there.
    fileprivate func makeEmptyBlob(_ digest: ContentDigest) throws {
        let path = layout.blob(digest)
        guard StoreLayout.size(of: path) != 0 else { return }
        Glibc.close(try StoreLayout.open(path, owner: owner))
        try DurabilityBarrier.sync(path, flags: O_RDONLY)
        try DurabilityBarrier.sync(
            String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), flags: O_RDONLY | O_DIRECTORY)
    }
}
