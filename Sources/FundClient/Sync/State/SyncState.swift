internal import Foundation
internal import GRDB

/// State of both sides when they were in step last: rows in `.fund/state.sqlite`, so that they lie where the folder
/// lies, and are not there when the folder is not.
///
/// A row that is missing loses nothing: what it would have told apart is kept twice. A row that claims too much could
/// delete: it is written after both sides have what it says, never before.
final class SyncState: Sendable {
    let queue: DatabaseQueue

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
            migrator.registerMigration("2") { db in
                try db.execute(
                    sql: "CREATE INDEX item_place ON item (parent, name); CREATE INDEX item_inode ON item (inode)")
            }
            migrator.registerMigration("4") { db in
                try db.execute(
                    sql: """
                        DROP TABLE IF EXISTS sent;
                        CREATE TABLE unrecorded (
                            inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                            changed INTEGER NOT NULL, place TEXT NOT NULL, name TEXT NOT NULL, digest BLOB NOT NULL,
                            PRIMARY KEY (inode, place, name)) WITHOUT ROWID;
                        CREATE TABLE deleting (item INTEGER PRIMARY KEY)
                        """)
            }
            migrator.registerMigration("5") { db in
                try db.execute(
                    sql: """
                        CREATE TABLE former (
                            inode INTEGER NOT NULL, size INTEGER NOT NULL, modified INTEGER NOT NULL,
                            changed INTEGER NOT NULL, digest BLOB NOT NULL,
                            PRIMARY KEY (inode, size, modified, changed)) WITHOUT ROWID
                        """)
            }
            try migrator.migrate(queue)
        } catch { throw Self.failure(error) }
    }

    /// Failure of the database.
    static func failure(_ error: any Error) -> SyncLocalError {
        let isFull = ClientError(local: error).code == .noSpaceHere
        return SyncLocalError(
            isFull ? .noSpace : .system, "what is known of the folder: \(isFull ? "the disk is full" : "\(error)")")
    }

    /// Reads one state of the database. Throws `SyncLocalError`.
    func reading<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.read(body) } catch { throw Self.failure(error) }
    }

    /// Writes all of what the body does, or nothing. Throws `SyncLocalError`.
    func writing<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try queue.write(body) } catch { throw Self.failure(error) }
    }

    /// Another call on it fails.
    func close() { try? queue.close() }

    // MARK: Settings

    /// Throws `SyncLocalError`.
    func setting(_ name: String) throws -> String? {
        return try reading { db in
            try String.fetchOne(db, sql: "SELECT value FROM setting WHERE name = ?", arguments: [name])
        }
    }

    /// Throws `SyncLocalError`.
    func set(_ name: String, to value: String) throws {
        try writing { db in
            try db.execute(sql: "INSERT OR REPLACE INTO setting VALUES (?, ?)", arguments: [name, value])
        }
    }

    /// Throws `SyncLocalError`.
    func removeSetting(_ name: String) throws {
        try writing { db in try db.execute(sql: "DELETE FROM setting WHERE name = ?", arguments: [name]) }
    }

    // MARK: Rows

    /// Calls the body with all rows as they are at one moment. Throws what the body throws, and what the database
    /// throws.
    func read<Value>(_ body: (BasePlaces) throws -> Value) throws -> Value {
        try queue.read { try body(BasePlaces($0)) }
    }

    /// New rows where the id is 0, else in place of those with that id; all or none. Gives the ids. Throws
    /// `SyncLocalError`.
    func save(_ rows: [BaseRow]) throws -> [BaseRow.ID] {
        if rows.isEmpty { return [] }
        return try writing { db in try rows.map { try Self.save($0, db) } }
    }

    static func save(_ row: BaseRow, _ db: Database) throws -> BaseRow.ID {
        let (kind, inode) = (row.kind.rawValue, Int64(bitPattern: row.fingerprint.inode))
        let id: Int64? = row.id == 0 ? nil : row.id
        if row.kind.isFile { try forgetUnrecorded(row.name, inode: inode, db) }
        try db.cachedStatement(sql: "INSERT OR REPLACE INTO item VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute(
            arguments: [
                id, row.parent, row.name, kind, row.remote.id, row.digest.map { Data($0.bytes) }, inode,
                row.fingerprint.size, row.fingerprint.modified, row.fingerprint.changed,
            ])
        return id ?? db.lastInsertedRowID
    }

    static func remove(_ id: BaseRow.ID, _ db: Database) throws {
        try db.cachedStatement(sql: "DELETE FROM item WHERE id = ?").execute(arguments: [id])
        try db.cachedStatement(sql: "DELETE FROM deleting WHERE item = ?").execute(arguments: [id])
    }

    /// Throws `SyncLocalError`.
    func remove(_ ids: [BaseRow.ID]) throws {
        try writing { db in
            for id in ids { try Self.remove(id, db) }
        }
    }
}
