internal import Foundation
import FundCore
import PostgreSQLRoom

/// A connection to PostgreSQL as the store's statements use one.
struct PostgreSQLConnection {
    let session: PostgreSQLSession

    /// Statements without arguments, separated by semicolons: for the schema.
    func run(script: String) throws { try session.run(script: script) }

    private func result(_ sql: String, _ arguments: SQLArguments) throws -> PostgreSQLResult {
        try session.run(sql, Self.parameters(arguments))
    }

    private static func parameters(_ arguments: SQLArguments) -> [PostgreSQLParameter] {
        arguments.map { $0?.postgreSQL ?? .null }
    }

    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments = []) throws -> Int {
        try result(sql, arguments).changedCount
    }

    @discardableResult
    func insert<Entity>(_ sql: String, _ arguments: SQLArguments) throws -> ID<Entity> {
        guard let id: ID<Entity> = try value("\(sql) RETURNING id", arguments) else {
            throw PostgreSQLError(.misuse, "insert a row", "it has no id")
        }
        return id
    }

    func value<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> Value? {
        let result = try result(sql, arguments)
        return result.rowCount == 0 ? nil : try PostgreSQLResultRow(result, 0).value(0)
    }

    func values<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments = []) throws -> [Value] {
        let result = try result(sql, arguments)
        return try (0..<result.rowCount).map { row in
            guard let value: Value = try PostgreSQLResultRow(result, row).value(0) else {
                throw PostgreSQLError(.misuse, "read a list", "row \(row) is NULL")
            }
            return value
        }
    }

    func row(_ sql: String, _ arguments: SQLArguments = []) throws -> PostgreSQLRow? {
        let result = try result(sql, arguments)
        return result.rowCount == 0 ? nil : PostgreSQLRow(base: PostgreSQLResultRow(result, 0))
    }

    func exists(_ sql: String, _ arguments: SQLArguments = []) throws -> Bool {
        try value("SELECT EXISTS (\(sql))", arguments) ?? false
    }

    func rows<Value>(
        _ sql: String, _ arguments: SQLArguments = [], as make: (PostgreSQLRow) throws -> Value
    ) throws -> [Value] {
        let result = try result(sql, arguments)
        return try (0..<result.rowCount).map { try make(PostgreSQLRow(base: PostgreSQLResultRow(result, $0))) }
    }

    /// Where `body` ends early, the rows behind are read and thrown away.
    func forEach(_ sql: String, _ arguments: SQLArguments = [], _ body: (PostgreSQLRow) throws -> Bool) throws {
        try session.forEach(sql, Self.parameters(arguments)) { try body(PostgreSQLRow(base: $0)) }
    }

    /// The server takes a text apart by characters, none of which has less than a byte.
    func beginning(of column: String, in table: String, row: Int64, bytes count: Int) throws -> [UInt8]? {
        let sql = "SELECT convert_to(substr(\(column), 1, CAST(? AS int4)), 'UTF8') FROM \(table) WHERE id = ?"
        let bytes: Data? = try value(sql, [count, row])
        return bytes.map { Array($0.prefix(count)) }
    }

    // MARK: Sequences

    /// The identity column of a table; nil where it has none.
    func identityColumn(of table: String) throws -> String? {
        try value(
            "SELECT attname FROM pg_attribute WHERE attrelid = CAST(quote_ident(?) AS regclass) AND attidentity <> ''",
            [table])
    }

    /// The sequence of a table's identity column, as SQL names it (https://www.postgresql.org/docs/15/
    /// functions-info.html, pg_get_serial_sequence).
    private func sequence(of table: String) throws -> String {
        guard let column = try identityColumn(of: table),
            let name: String = try value("SELECT pg_get_serial_sequence(quote_ident(?), ?)", [table, column])
        else { throw PostgreSQLError(.misuse, "read a sequence", "\(table) has none") }
        return name
    }

    func lastNumber(of table: String) throws -> Int64 {
        try value("SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM \(sequence(of: table))") ?? 0
    }

    /// Takes the numbers one by one: another process may take some in between, and none is given twice.
    func passNumbers(_ count: Int, of table: String) throws {
        try execute(
            "SELECT max(nextval(CAST(? AS regclass))) FROM generate_series(1, ?)", [sequence(of: table), count])
    }

    /// Has a table's identity column give only numbers above this one.
    func raiseLastNumber(of table: String, to number: Int64) throws {
        guard try lastNumber(of: table) < number else { return }
        try execute("SELECT setval(CAST(? AS regclass), ?)", [sequence(of: table), number])
    }

    /// The last numbers of all tables that have such, by the table's name.
    func lastNumbers() throws -> [String: Int64] {
        let numbers = try rows(
            """
            SELECT CAST(numbered.relname AS text), coalesce(pg_sequence_last_value(sequence.oid), 0)
            FROM pg_class AS sequence
                JOIN pg_depend ON pg_depend.objid = sequence.oid AND pg_depend.deptype = 'i'
                    AND pg_depend.classid = CAST('pg_class' AS regclass)
                JOIN pg_class AS numbered ON numbered.oid = pg_depend.refobjid
            WHERE sequence.relkind = 'S' AND numbered.relnamespace = CAST(current_schema() AS regnamespace)
            """
        ) { ($0[0] as String, $0[1] as Int64) }
        return Dictionary(uniqueKeysWithValues: numbers)
    }

    // MARK: Notifications

    /// Channel on which processes hear of each other's commits.
    static let channel = "fundmail_commit"

    /// Has the commit wake those who listen. The server takes one such commit after the other, so it is not for every
    /// transaction (https://www.postgresql.org/docs/15/sql-notify.html).
    func notify() throws { try session.run(script: "NOTIFY \(Self.channel)") }

    // MARK: Transactions

    func readTransaction<Value>(_ body: () throws -> Value) throws -> Value {
        try session.transaction(.repeatableRead, isReadOnly: true, body)
    }

    /// SQLite has one writer at a time; here transactions end as if there were one, or fail and run again
    /// (`PostgreSQLRows.write`).
    func transaction<Value>(_ body: () throws -> Value) throws -> Value {
        try session.transaction(.serializable, body)
    }

    func savepoint<Value>(_ body: () throws -> Value) throws -> Value { try session.savepoint(body) }

    func limited<Value>(to limit: Duration, _ operation: String, _ body: () throws -> Value) throws -> Value {
        do { return try session.limited(to: limit, body) } catch let error as PostgreSQLError
            where error.code == .tookTooLong
        {
            throw StoreError(.tookTooLong, operation, "it took longer than \(limit)")
        }
    }
}
