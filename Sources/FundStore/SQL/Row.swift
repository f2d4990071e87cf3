import FundCore

/// A row of a result. Columns have numbers from 0, in the order of the statement, or names, which take longer. A column
/// that does not hold a value of the wanted type is a mistake in the program.
enum Row {
    case sqlite(SQLiteRow)
    case postgreSQL(PostgreSQLRow)

    /// Number of columns.
    var count: Int {
        switch self {
        case .sqlite(let row): row.count
        case .postgreSQL(let row): row.count
        }
    }

    @inline(__always)
    subscript<Value: SQLValue>(_ index: Int) -> Value {
        switch self {
        case .sqlite(let row): row[index]
        case .postgreSQL(let row): row[index]
        }
    }

    /// Nil for NULL.
    @inline(__always)
    subscript<Value: SQLValue>(_ index: Int) -> Value? {
        switch self {
        case .sqlite(let row): row[index]
        case .postgreSQL(let row): row[index]
        }
    }

    subscript<Value: SQLValue>(_ name: String) -> Value {
        switch self {
        case .sqlite(let row): row[name]
        case .postgreSQL(let row): row[name]
        }
    }

    /// Nil for NULL.
    subscript<Value: SQLValue>(_ name: String) -> Value? {
        switch self {
        case .sqlite(let row): row[name]
        case .postgreSQL(let row): row[name]
        }
    }

    /// Throws `corrupted` when the column does not hold 32 bytes.
    func digest(_ index: Int) throws -> ContentDigest {
        switch self {
        case .sqlite(let row): try row.digest(index)
        case .postgreSQL(let row): try row.digest(index)
        }
    }

    /// Throws `corrupted` when the column does not hold 32 bytes.
    func digest(_ name: String) throws -> ContentDigest {
        switch self {
        case .sqlite(let row): try row.digest(name)
        case .postgreSQL(let row): try row.digest(name)
        }
    }

    /// The item that two columns name, a kind and an id. Throws `corrupted` for a number that is no kind.
    func item(_ index: Int) throws -> LibraryItemID {
        guard let kind = ItemKind(rawValue: self[index]) else {
            throw StoreError(.corrupted, "read the library", "\(self[index] as Int) is no kind of item")
        }
        return LibraryItemID(kind, self[index + 1])
    }
}
