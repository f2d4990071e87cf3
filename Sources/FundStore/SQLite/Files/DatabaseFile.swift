internal import GRDB
internal import Glibc
import FundCore

/// A database as a file that no process changes meanwhile: a copy, a draft, or the database of a backup. Each call
/// opens it, blocks, and closes it again.
enum DatabaseFile {
    /// Writes a database as it is at one moment into a new file (https://www.sqlite.org/lang_vacuum.html#vacuuminto).
    static func copy(_ path: String, to target: String) throws {
        try open(path, isReadOnly: true) { queue in
            try queue.inDatabase { try $0.execute(sql: "VACUUM INTO ?", arguments: [target]) }
        }
        guard chmod(target, 0o600) == 0 else { throw DiskError("set the mode of", target) }
    }

    /// Fills the database of a copy, which is made if it is not there, outside of any transaction. References between
    /// rows are not looked at.
    static func fill(_ path: String, owner: FileOwner?, _ body: (Database) throws -> Void) throws {
        close(try DiskFile.open(path, owner: owner))
        var configuration = ConnectionPool.configuration(isReadOnly: false)
        configuration.foreignKeysEnabled = false
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.inDatabase { try body(Database(base: $0)) }
    }

    /// Makes the tables of a new database that nothing else uses.
    static func migrate(_ path: String, _ migrations: Migrations) throws {
        try open(path, isReadOnly: false) { try migrations.migrator.migrate($0) }
    }

    /// Reads a database in one transaction.
    static func read<Value>(_ path: String, _ body: (Database) throws -> Value) throws -> Value {
        try open(path, isReadOnly: true) { queue in try queue.read { try body(Database(base: $0)) } }
    }

    /// Changes a database in one transaction.
    static func change(_ path: String, _ body: (Database) throws -> Void) throws {
        try open(path, isReadOnly: false) { queue in try queue.write { try body(Database(base: $0)) } }
    }

    private static func open<Value>(
        _ path: String, isReadOnly: Bool, _ body: (DatabaseQueue) throws -> Value
    ) throws -> Value {
        let queue = try DatabaseQueue(path: path, configuration: ConnectionPool.configuration(isReadOnly: isReadOnly))
        defer { try? queue.close() }
        return try body(queue)
    }
}

extension Database {
    /// Writes into the header of the file whose it is, and the version of its schema.
    func sign(_ applicationID: Int32, version: Int) throws {
        try run(script: "PRAGMA application_id = \(applicationID); PRAGMA user_version = \(version)")
    }

    /// Runs `body` while the tables of another database stand under the name `schema`. Outside of transactions.
    ///
    /// - Parameter path: of the other database; nil for none.
    func attaching<Value>(_ path: String?, as schema: StaticString, _ body: () throws -> Value) throws -> Value {
        guard let path else { return try body() }
        try execute("ATTACH ? AS \(schema)", [path])
        let value: Value
        do { value = try body() } catch {
            _ = try? execute("DETACH \(schema)")
            throw error
        }
        try execute("DETACH \(schema)")
        return value
    }
}
