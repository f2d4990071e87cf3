internal import Foundation
internal import GRDB

/// What both sides had when they were in step last: rows in `.fund/state.sqlite`, so that they lie where the folder lies,
/// and are not there when the folder is not.
///
/// A row that is missing loses nothing: what it would have told apart is kept twice. A row that claims too much could
/// delete: it is written after both sides have what it says, never before.
final class SyncState: Sendable {
    private let queue: DatabaseQueue

    /// Throws `SyncLocalError`.
    init(path: String) throws {
        do {
            var configuration = Configuration()
            configuration.prepareDatabase { db in
                // Rows that a loss of power takes are made again.
                try db.execute(sql: "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
            }
            queue = try DatabaseQueue(path: path, configuration: configuration)
            var migrator = DatabaseMigrator()
            migrator.registerMigration("1") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
                        CREATE TABLE item (
                            id INTEGER PRIMARY KEY AUTOINCREMENT, parent INTEGER, name TEXT NOT NULL,
                            kind INTEGER NOT NULL, remote INTEGER NOT NULL, digest BLOB, inode INTEGER NOT NULL,
                            size INTEGER NOT NULL, modified INTEGER NOT NULL, changed INTEGER NOT NULL);
                        """)
            }
            try migrator.migrate(queue)
        } catch { throw Self.failure(error) }
    }

    private static func failure(_ error: any Error) -> SyncLocalError {
        let isFull = (error as? DatabaseError)?.resultCode == .SQLITE_FULL
        return SyncLocalError(isFull ? .noSpace : .system, "what is known of the folder: \(error)")
    }

    // MARK: Settings

    /// Throws `SyncLocalError`.
    func setting(_ name: String) throws -> String? {
        do {
            return try queue.read { db in
                try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
            }
        } catch { throw Self.failure(error) }
    }

    /// Throws `SyncLocalError`.
    func set(_ name: String, to value: String) throws {
        do {
            try queue.write { db in
                try db.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, value])
            }
        } catch { throw Self.failure(error) }
    }

    // MARK: Rows

    /// Throws `SyncLocalError`.
    func rows() throws -> [BaseRow] {
        do {
            return try queue.read { db in
                var rows: [BaseRow] = []
                let cursor = try Row.fetchCursor(
                    db, sql: "SELECT id, parent, name, kind, remote, digest, inode, size, modified, changed FROM item")
                while let row = try cursor.next() {
                    guard let kind = SyncKind(rawValue: row[3]) else { continue }
                    let digest: Data? = row[5]
                    let inode: Int64 = row[6]
                    rows.append(
                        BaseRow(
                            id: row[0], parent: row[1], name: row[2], remote: RemoteKey(kind: kind, id: row[4]),
                            digest: digest.flatMap { Digest(bytes: $0) },
                            fingerprint: Fingerprint(
                                inode: UInt64(bitPattern: inode), size: row[7], modified: row[8], changed: row[9])))
                }
                return rows
            }
        } catch { throw Self.failure(error) }
    }

    /// A new row where the id is 0, else in place of the one with that id. Gives the id. Throws `SyncLocalError`.
    func save(_ row: BaseRow) throws -> BaseRow.ID {
        do {
            return try queue.write { db in
                let (kind, inode) = (row.kind.rawValue, Int64(bitPattern: row.fingerprint.inode))
                let id: Int64? = row.id == 0 ? nil : row.id
                try db.execute(
                    sql: "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                    arguments: [
                        id, row.parent, row.name, kind, row.remote.id, row.digest.map { Data($0.bytes) }, inode,
                        row.fingerprint.size, row.fingerprint.modified, row.fingerprint.changed,
                    ])
                return id ?? db.lastInsertedRowID
            }
        } catch { throw Self.failure(error) }
    }

    /// Throws `SyncLocalError`.
    func remove(_ ids: [BaseRow.ID]) throws {
        do {
            try queue.write { db in
                for id in ids { try db.execute(sql: "DELETE FROM item WHERE id = ?", arguments: [id]) }
            }
        } catch { throw Self.failure(error) }
    }
}
