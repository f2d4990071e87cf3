import FundCore

/// An open connection to the engine that holds the rows, which is chosen when a store is opened; within a transaction
/// unless stated otherwise. Each text is prepared once and kept, so that what varies is an argument. Arguments and
/// columns are `SQLValue`s; texts are written as `SQL` says.
enum Database {
    case sqlite(SQLiteConnection)
    case postgreSQL(PostgreSQLConnection)

    /// The connection to a database in a file. Throws `invalid` for another engine, whose rows have no file.
    var file: SQLiteConnection {
        get throws {
            guard case .sqlite(let connection) = self else {
                throw StoreError(.invalid, "look into the database", "its rows are no file of this machine")
            }
            return connection
        }
    }

    // MARK: Statements

    /// Runs statements without arguments, separated by semicolons, of which none is kept: for the schema.
    func run(script: String) throws {
        switch self {
        case .sqlite(let db): try db.run(script: script)
        case .postgreSQL(let db): try db.run(script: script)
        }
    }

    /// Returns the number of rows that were inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        switch self {
        case .sqlite(let db): try db.execute(sql, arguments)
        case .postgreSQL(let db): try db.execute(sql, arguments)
        }
    }

    /// Inserts one row and returns its id.
    @discardableResult
    func insert<Entity>(_ sql: String, _ arguments: SQLArguments) throws -> ID<Entity> {
        switch self {
        case .sqlite(let db): try db.insert(sql, arguments)
        case .postgreSQL(let db): try db.insert(sql, arguments)
        }
    }

    /// The first column of the first row; nil when there is no row, or NULL.
    func value<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> Value? {
        switch self {
        case .sqlite(let db): try db.value(sql, arguments)
        case .postgreSQL(let db): try db.value(sql, arguments)
        }
    }

    /// The first column of all rows.
    func values<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> [Value] {
        switch self {
        case .sqlite(let db): try db.values(sql, arguments)
        case .postgreSQL(let db): try db.values(sql, arguments)
        }
    }

    func row(_ sql: String, _ arguments: SQLArguments = []) throws -> Row? {
        switch self {
        case .sqlite(let db): try db.row(sql, arguments).map(Row.sqlite)
        case .postgreSQL(let db): try db.row(sql, arguments).map(Row.postgreSQL)
        }
    }

    /// Whether a query has a row. The first one is enough.
    func exists(_ sql: String, _ arguments: SQLArguments = []) throws -> Bool {
        switch self {
        case .sqlite(let db): try db.exists(sql, arguments)
        case .postgreSQL(let db): try db.exists(sql, arguments)
        }
    }

    func rows(_ sql: String, _ arguments: SQLArguments = []) throws -> [Row] {
        switch self {
        case .sqlite(let db): try db.rows(sql, arguments).map(Row.sqlite)
        case .postgreSQL(let db): try db.rows(sql, arguments) { .postgreSQL($0) }
        }
    }

    /// All rows, each made into a value before the next is read: a list copies no rows. `make` keeps no row and asks
    /// the database nothing.
    func rows<Value>(
        _ sql: String, _ arguments: SQLArguments = [], as make: (Row) throws -> Value
    ) throws -> [Value] {
        switch self {
        case .sqlite(let db): try db.rows(sql, arguments) { try make(.sqlite($0)) }
        case .postgreSQL(let db): try db.rows(sql, arguments) { try make(.postgreSQL($0)) }
        }
    }

    /// Passes one row after the other to `body` until it returns false. A row is valid during its call only, and `body`
    /// asks the database nothing.
    func forEach(_ sql: String, _ arguments: SQLArguments = [], _ body: (Row) throws -> Bool) throws {
        switch self {
        case .sqlite(let db): try db.forEach(sql, arguments) { try body(.sqlite($0)) }
        case .postgreSQL(let db): try db.forEach(sql, arguments) { try body(.postgreSQL($0)) }
        }
    }

    /// The values of the second column, in their order, by those of the first.
    func grouped<Key: SQLValue & Hashable, Value: SQLValue>(
        _ sql: String, _ arguments: SQLArguments = []
    ) throws -> [Key: [Value]] {
        var groups: [Key: [Value]] = [:]
        try forEach(sql, arguments) { row in
            groups[row[0], default: []].append(row[1])
            return true
        }
        return groups
    }

    /// The first bytes of a text, whose rest is not read. Nil for NULL, and when there is no such row.
    func beginning(of column: String, in table: String, row: Int64, bytes count: Int) throws -> [UInt8]? {
        switch self {
        case .sqlite(let db): try db.beginning(of: column, in: table, row: row, bytes: count)
        case .postgreSQL(let db): try db.beginning(of: column, in: table, row: row, bytes: count)
        }
    }

    // MARK: Sequences

    /// The highest number that the table's own sequence has given; 0 before the first. Numbers are never given twice.
    func lastNumber(of table: StaticString) throws -> Int64 {
        switch self {
        case .sqlite(let db): try db.lastNumber(of: table)
        case .postgreSQL(let db): try db.lastNumber(of: "\(table)")
        }
    }

    /// Raises the last number of the table's own sequence: the numbers between are never given.
    func passNumbers(_ count: Int, of table: StaticString) throws {
        switch self {
        case .sqlite(let db): try db.passNumbers(count, of: table)
        case .postgreSQL(let db): try db.passNumbers(count, of: "\(table)")
        }
    }

    /// Has a table's own sequence give only numbers above this one.
    func raiseLastNumber(of table: StaticString, to number: Int64) throws {
        switch self {
        case .sqlite(let db): try db.raiseLastNumber(of: table, to: number)
        case .postgreSQL(let db): try db.raiseLastNumber(of: "\(table)", to: number)
        }
    }

    /// The last numbers of all tables that have a sequence of their own, by the table's name.
    func lastNumbers() throws -> [String: Int64] {
        switch self {
        case .sqlite(let db): try db.lastNumbers()
        case .postgreSQL(let db): try db.lastNumbers()
        }
    }

    // MARK: Transactions

    /// Runs several questions in one transaction, on a connection that reads outside of transactions.
    func readTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let db): try db.readTransaction(body)
        case .postgreSQL(let db): try db.readTransaction(body)
        }
    }

    /// Commits the changes of `body`, or nothing when it throws.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let db): try db.transaction(body)
        case .postgreSQL(let db): try db.transaction(body)
        }
    }

    /// Keeps the changes of `body` within a transaction, or undoes them alone when it throws.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let db): try db.savepoint(body)
        case .postgreSQL(let db): try db.savepoint(body)
        }
    }

    /// Throws `tookTooLong` once the questions of `body` have taken longer than `limit`.
    func limited<Value>(to limit: Duration, _ operation: String, _ body: () throws -> Value) throws -> Value {
        switch self {
        case .sqlite(let db): try db.limited(to: limit, operation, body)
        case .postgreSQL(let db): try db.limited(to: limit, operation, body)
        }
    }
}
