internal import CSQLite
internal import GRDB
internal import GRDBSQLite
internal import Glibc
import FundCore

/// An open connection, within a transaction unless something else is said. All SQL of a store runs through it. It keeps
/// prepared statements under their text, so that a text holds what varies as arguments (for LIMIT see `SQL.limit`). A
/// statement that is kept on the writing connection keeps its column names when another process changes the schema:
/// `table.*` stands last, and columns are only added.
struct SQLiteConnection {
    let base: GRDB.Database

    /// Statements without arguments, separated by semicolons, of which none is kept: for schema and settings.
    func run(script: String) throws { try base.execute(sql: script) }

    /// Gives the number of rows that were inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        try stepping(sql, arguments) { statement in
            while try step(statement, sql) {}
            return base.changesCount
        } orElse: { statement in
            try statement.execute()
            sqlite3_clear_bindings(statement.sqliteStatement)  // the text of a note is not kept twice
            return base.changesCount
        }
    }

    /// Runs an INSERT of one row and gives its id (https://sqlite.org/c3ref/last_insert_rowid.html).
    @discardableResult
    func insert<Entity>(_ sql: String, _ arguments: SQLArguments) throws -> ID<Entity> {
        try execute(sql, arguments)
        return ID(base.lastInsertedRowID)
    }

    /// The first column of the first row; nil when there is no row, or NULL.
    func value<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> Value? {
        try stepping(sql, arguments) { statement in
            guard try step(statement, sql), sqlite3_column_type(statement, 0) != SQLITE_NULL else { return nil }
            guard let value = Value.fromStatement(statement, atUncheckedIndex: 0) else {
                throw DatabaseError(resultCode: .SQLITE_MISMATCH, message: "no \(Value.self)", sql: sql)
            }
            return value
        } orElse: {
            try Value.fetchOne($0)
        }
    }

    /// The first column of all rows.
    func values<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> [Value] {
        try Value.fetchAll(statement(sql, arguments))
    }

    func row(_ sql: String, _ arguments: SQLArguments = []) throws -> SQLiteRow? {
        try GRDB.Row.fetchOne(statement(sql, arguments)).map(SQLiteRow.init)
    }

    /// Whether a query has a row. The first one is enough.
    func exists(_ sql: String, _ arguments: SQLArguments = []) throws -> Bool {
        try stepping(sql, arguments) {
            try step($0, sql)
        } orElse: {
            try GRDB.Row.fetchOne($0) != nil
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments = []) throws -> [SQLiteRow] {
        try GRDB.Row.fetchAll(statement(sql, arguments)).map(SQLiteRow.init)
    }

    /// Each row made into a value before the next is read: a list copies no rows. `make` keeps no row and asks the
    /// database nothing.
    func rows<Value>(_ sql: String, _ arguments: SQLArguments = [], as make: (SQLiteRow) throws -> Value) throws
        -> [Value]
    {
        var values: [Value] = []
        try forEach(sql, arguments) { row in
            values.append(try make(row))
            return true
        }
        return values
    }

    /// Hands over one row after the other until `body` gives false. A row holds only during its call; `body` asks the
    /// database for nothing.
    func forEach(_ sql: String, _ arguments: SQLArguments = [], _ body: (SQLiteRow) throws -> Bool) throws {
        let rows = try GRDB.Row.fetchCursor(statement(sql, arguments))
        while let row = try rows.next(), try body(SQLiteRow(base: row)) {}
    }

    /// The first bytes of a text, whose rest is not read, however long it is (https://sqlite.org/c3ref/blob_open.html).
    /// Nil for NULL, and when there is no such row.
    func beginning(of column: String, in table: String, row: Int64, bytes count: Int) throws -> [UInt8]? {
        var blob: OpaquePointer?
        let code = sqlite3_blob_open(base.sqliteConnection, "main", table, column, row, 0, &blob)
        defer { sqlite3_blob_close(blob) }
        guard code != SQLITE_ERROR else { return nil }
        guard code == SQLITE_OK, let blob else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
        let size = min(count, Int(sqlite3_blob_bytes(blob)))
        var read = SQLITE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
            if let start = buffer.baseAddress, size > 0 { read = sqlite3_blob_read(blob, start, CInt(size), 0) }
            filled = read == SQLITE_OK ? size : 0
        }
        guard read == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: read)) }
        return bytes
    }

    // MARK: Statements

    /// The prepared statement of a text, with its arguments, for GRDB to run.
    private func statement(_ sql: String, _ arguments: SQLArguments) throws -> Statement {
        let statement = try base.cachedStatement(sql: sql)
        statement.setUncheckedArguments(StatementArguments())
        try bind(arguments, to: statement.sqliteStatement, sql)
        return statement
    }

    /// GRDB makes two arrays of boxed values of arguments: 15 % of the instructions of filing a small mail.
    private func bind(_ arguments: SQLArguments, to statement: SQLiteStatement, _ sql: String) throws {
        guard arguments.count == Int(sqlite3_bind_parameter_count(statement)) else {
            throw DatabaseError(resultCode: .SQLITE_MISUSE, message: "\(arguments.count) arguments", sql: sql)
        }
        var number: CInt = 0
        for argument in arguments {
            number += 1
            guard let argument else { continue }  // what is not bound is NULL
            let code = argument.bind(into: statement, number)
            guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code), sql: sql) }
        }
    }

    /// Hands over the prepared statement of a text, with its arguments, which are forgotten behind it. For statements
    /// that run thousands of times a second: what GRDB observes around each costs as much as SQLite itself.
    ///
    /// - Parameter run: for what writes outside of a transaction. SQLite may have given one up by itself: GRDB knows,
    ///   and lets nothing be written behind it.
    private func stepping<Value>(
        _ sql: String, _ arguments: SQLArguments, _ body: (SQLiteStatement) throws -> Value,
        orElse run: (Statement) throws -> Value
    ) throws -> Value {
        let statement = try base.cachedStatement(sql: sql)
        let sqlite = statement.sqliteStatement
        guard sqlite3_stmt_readonly(sqlite) != 0 || sqlite3_get_autocommit(base.sqliteConnection) == 0 else {
            return try run(try self.statement(sql, arguments))
        }
        defer {
            sqlite3_reset(sqlite)
            sqlite3_clear_bindings(sqlite)
        }
        sqlite3_reset(sqlite)
        sqlite3_clear_bindings(sqlite)
        try bind(arguments, to: sqlite, sql)
        return try withExtendedLifetime(statement) { try body(sqlite) }
    }

    /// Whether there is another row.
    private func step(_ statement: SQLiteStatement, _ sql: String) throws -> Bool {
        let code = sqlite3_step(statement)
        switch code {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        default:
            throw DatabaseError(
                resultCode: ResultCode(rawValue: code), message: base.lastErrorMessage, sql: sql)
        }
    }

    // MARK: Transactions

    /// One transaction for several questions, which would each begin and end their own. On a connection that reads,
    /// outside of transactions.
    func readTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try execute("BEGIN")
        do {
            let value = try body()
            try execute("COMMIT")
            return value
        } catch {
            // After some errors SQLite has ended it by itself.
            if base.isInsideTransaction { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Commits what `body` changes, or nothing when it throws.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        do {
            try base.inTransaction(.immediate) {
                value = try body()
                return .commit
            }
        } catch {
            // SQLite may have ended it by itself, at a statement that GRDB did not see: at its next one it takes note.
            if !base.isInsideTransaction { try? run(script: "SELECT 1") }
            throw diskError(error)
        }
        return try Self.given(value)
    }

    /// `transaction` for a part of one.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        var value: Value?
        try base.inSavepoint {
            value = try body()
            return .commit
        }
        return try Self.given(value)
    }

    /// SQLite has one code for a write that failed: the same for a limit or a quota that is reached and for a disk that
    /// is broken.
    private func diskError(_ error: any Error) -> any Error {
        guard (error as? DatabaseError)?.extendedResultCode == .SQLITE_IOERR_WRITE, writeErrno == EIO else {
            return error
        }
        return DiskError("write", "the database", code: EIO)
    }

    /// Why the last write to the write-ahead log failed, see errno(3)
    /// (https://sqlite.org/c3ref/c_fcntl_begin_atomic_write.html); 0 when it did not.
    private var writeErrno: CInt {
        var (log, code): (UnsafeMutablePointer<sqlite3_file>?, CInt) = (nil, 0)
        sqlite3_file_control(base.sqliteConnection, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log)
        if let log, let methods = log.pointee.pMethods {
            _ = methods.pointee.xFileControl(log, SQLITE_FCNTL_LAST_ERRNO, &code)
        }
        return code
    }

    private static func given<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw StoreError(.io, "commit a transaction", "it gave nothing") }
        return value
    }
}

/// A row of a result. Columns have numbers from 0, in the order of the statement, or names, which take longer. A column
/// that does not hold a value of the wanted type is a mistake in the program.
struct SQLiteRow {
    fileprivate let base: GRDB.Row

    var count: Int { base.count }

    @inline(__always)
    subscript<Value: SQLValue>(_ index: Int) -> Value { base[index] }

    @inline(__always)
    subscript<Value: SQLValue>(_ index: Int) -> Value? { base[index] }

    subscript<Value: SQLValue>(_ name: String) -> Value { base[name] }
    subscript<Value: SQLValue>(_ name: String) -> Value? { base[name] }

    /// Throws `corrupted` when the column does not hold 32 bytes.
    func digest(_ index: Int) throws -> ContentDigest { try digest(try? base.decode(atIndex: index)) }
    func digest(_ name: String) throws -> ContentDigest { try digest(try? base.decode(forColumn: name)) }

    private func digest(_ found: ContentDigest?) throws -> ContentDigest {
        guard let found else { throw StoreError(.corrupted, "read a digest", "a column holds no SHA-256") }
        return found
    }
}
