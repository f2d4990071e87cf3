import FundCore

/// An open connection, within a transaction unless stated otherwise. Each text is prepared once and kept, so that what
/// varies is an argument. Arguments and columns are `SQLValue`s.
protocol SQLConnection {
    associatedtype Row

    /// Returns the number of rows that were inserted, updated or deleted.
    @discardableResult
    func execute(_ sql: String, _ arguments: SQLArguments) throws -> Int

    /// Inserts one row and returns its id.
    @discardableResult
    func insert<Entity>(_ sql: String, _ arguments: SQLArguments) throws -> ID<Entity>

    /// The first column of the first row; nil when there is no row, or NULL.
    func value<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments) throws -> Value?

    /// The first column of all rows.
    func values<Value: SQLValue>(_ sql: String, _ arguments: SQLArguments) throws -> [Value]

    func row(_ sql: String, _ arguments: SQLArguments) throws -> Row?

    /// Whether a query has a row. The first one is enough.
    func exists(_ sql: String, _ arguments: SQLArguments) throws -> Bool

    /// All rows, each made into a value before the next is read. `make` keeps no row and asks the database nothing.
    func rows<Value>(_ sql: String, _ arguments: SQLArguments, as make: (Row) throws -> Value) throws -> [Value]

    /// Passes one row after the other to `body` until it returns false. A row is valid during its call only, and `body`
    /// asks the database nothing.
    func forEach(_ sql: String, _ arguments: SQLArguments, _ body: (Row) throws -> Bool) throws

    /// The first bytes of a text, whose rest is not read. Nil for NULL, and when there is no such row.
    func beginning(of column: String, in table: String, row: Int64, bytes count: Int) throws -> [UInt8]?

    /// The highest number that the table's own sequence has given; 0 before the first. Numbers are never given twice.
    func lastNumber(of table: StaticString) throws -> Int64

    /// Raises the last number of the table's own sequence: the numbers between are never given.
    func passNumbers(_ count: Int, of table: StaticString) throws

    // MARK: Transactions

    /// Runs several questions in one transaction, on a connection that reads outside of transactions.
    func readTransaction<Value>(_ body: () throws -> Value) throws -> Value

    /// Commits the changes of `body`, or nothing when it throws.
    func transaction<Value>(_ body: () throws -> Value) throws -> Value

    /// Keeps the changes of `body` within a transaction, or undoes them alone when it throws.
    func savepoint<Value>(_ body: () throws -> Value) throws -> Value

    /// Throws `tookTooLong` once the questions of `body` have taken longer than `limit`.
    func limited<Value>(to limit: Duration, _ operation: String, _ body: () throws -> Value) throws -> Value
}
