internal import CSQLite
internal import FundCore
internal import GRDB
internal import SQLiteRoom

/// Settings of SQLite in the whole process.
enum SQLiteLibrary {
    /// To be called before a database is opened.
    static func setUp() { isSetUp }

    /// SQLite counts the memory that it takes, under a lock, for all threads at every small piece; nothing asks for the
    /// count.
    private static let isSetUp: Void = {
        _ = fundmail_sqlite_without_memory_statistics()
        SharedMemoryRoom.install()
    }()
}

/// The connections to one database: one that writes, and others that read.
final class ConnectionPool: Sendable {
    fileprivate static let busyTimeoutMilliseconds = 10_000

    let base: DatabasePool

    init(path: String, isReadOnly: Bool) throws {
        base = try DatabasePool(path: path, configuration: Self.configuration(isReadOnly: isReadOnly))
    }

    /// Settings of every connection to a store's database, or to a copy of one.
    static func configuration(isReadOnly: Bool) -> Configuration {
        SQLiteLibrary.setUp()
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        // Half of them for users' readers (`ReaderShares`), so that logins, uploads and indexing never wait for those.
        configuration.maximumReaderCount = 8
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { db in
            RowChecksum.register(in: db)
            try db.execute(sql: "PRAGMA cache_size = -4096")
        }
        return configuration
    }

    /// After GRDB's own set-up, which sets `synchronous` to NORMAL: the last commits would be lost with the power.
    func prepareWriter() throws {
        // 8 MiB: a checkpoint every few batches, each page written once however often it changed, and at the end of a
        // run, when nothing goes on beside it, little is left for the last one. The cache (32 MiB) holds the index
        // pages of 200,000 emails.
        try withWriter {
            try $0.run(
                script: """
                    PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 2048; PRAGMA journal_size_limit = 67108864;
                    PRAGMA cache_size = -32768
                    """)
        }
    }

    /// Runs `body` on a connection that reads, in a transaction of its own. Blocks.
    func read<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try base.read { try body(Database(base: $0)) }
    }

    /// Runs `body` as `read` does. Where it meets damaged pages and goes on, it runs again outside of any transaction:
    /// SQLite ends none without an error in which a page could not be read. Blocks.
    func readAroundDamage<Value>(_ body: (Database) throws -> Value) throws -> Value {
        do { return try read(body) } catch let error where Self.isDamage(error) {
            return try base.unsafeRead { try body(Database(base: $0)) }
        }
    }

    /// Runs `body` on the connection that writes, outside of any transaction. Blocks.
    func withWriter<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try base.writeWithoutTransaction { try body(Database(base: $0)) }
    }

    func write<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try withWriter { db in try db.transaction { try body(db) } }
    }

    /// Whether an error says that a file is no database, or a damaged one (https://sqlite.org/rescode.html).
    static func isDamage(_ error: any Error) -> Bool {
        if let error = error as? StoreError { return error.code == .corrupted }
        guard let error = error as? DatabaseError else { return false }
        return [.SQLITE_NOTADB, .SQLITE_CORRUPT].contains(error.resultCode)
    }

    static func isNoDatabase(_ error: any Error) -> Bool {
        (error as? DatabaseError)?.resultCode == .SQLITE_NOTADB
    }

    /// Waits for what is running. Closing twice is harmless.
    func close() throws { try base.close() }
}

extension Database {
    /// Number of the program that made it (https://www.sqlite.org/pragma.html#pragma_application_id); 0 for none.
    var applicationID: Int32 { get throws { try value("PRAGMA application_id") ?? 0 } }

    /// The number that a program gave its tables (https://www.sqlite.org/pragma.html#pragma_user_version).
    var userVersion: Int { get throws { try value("PRAGMA user_version") ?? 0 } }

    /// Size of the database with the pages of its write-ahead log; 0 when that is unknown.
    var byteCount: Int64 {
        let (pages, pageBytes): (Int64?, Int64?) = (try? value("PRAGMA page_count"), try? value("PRAGMA page_size"))
        return (pages ?? 0) * (pageBytes ?? 0)
    }

    /// Bytes that a copy of the database takes, without pages that hold nothing.
    var neededBytes: Int64 {
        get throws {
            let free: Int64 = try value("PRAGMA freelist_count") ?? 0
            let pageBytes: Int64 = try value("PRAGMA page_size") ?? 0
            return byteCount - free * pageBytes
        }
    }

    func hasTable(_ name: String) throws -> Bool {
        switch self {
        case .sqlite: try exists("SELECT 1 FROM sqlite_master WHERE name = ?", [name])
        case .postgreSQL: try exists("SELECT 1 FROM pg_class WHERE oid = to_regclass(quote_ident(?))", [name])
        }
    }

    /// Names of a table's columns; none for a table that is not there.
    func columns(of table: String, in schema: String = "main") throws -> [String] {
        try values("SELECT name FROM pragma_table_info(?, ?)", [table, schema])
    }

    var hasNoTables: Bool { get throws { try !exists("SELECT 1 FROM sqlite_master") } }

    /// Moves the pages of the write-ahead log into the database and cuts the log off, as far as readers allow within
    /// `milliseconds`. Outside of transactions.
    func truncateWAL(waitingUpTo milliseconds: Int) {
        try? run(script: "PRAGMA busy_timeout = \(milliseconds)")
        _ = try? rows("PRAGMA wal_checkpoint(TRUNCATE)")
        try? run(script: "PRAGMA busy_timeout = \(ConnectionPool.busyTimeoutMilliseconds)")
    }
}

/// A connection of its own for questions that a statement or two answer. The pool's readers cost several times as much
/// as such a question: a transaction, and the search for one that is free.
final class QuestionConnection: Sendable {
    private let queue: DatabaseQueue

    init(path: String) throws {
        SQLiteLibrary.setUp()
        var configuration = Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(Double(ConnectionPool.busyTimeoutMilliseconds) / 1000)
        queue = try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Runs `body` outside of any transaction: each statement sees the database as it is at its moment. Blocks.
    func ask<Value>(_ body: (Database) throws -> Value) throws -> Value {
        try queue.unsafeRead { try body(Database(base: $0)) }
    }

    /// SQLite's `data_version` (https://www.sqlite.org/pragma.html#pragma_data_version): since this connection never
    /// writes, it changes with every commit of every other connection.
    func dataVersion() throws -> Int64 {
        try ask { db in
            guard let version: Int64 = try db.value("PRAGMA data_version") else {
                throw DatabaseError(message: "no data_version")
            }
            return version
        }
    }

    func close() throws { try queue.close() }
}
