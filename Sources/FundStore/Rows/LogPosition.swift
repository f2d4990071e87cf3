import FundCore

/// The database's position in its log: a number that grows with each transaction that gives records rows. Each commit
/// mark repeats it: a mark with a higher one was written under a later state of the database.
enum LogPosition {
    private static let name = "log_position"
    /// Upper bound for a position: a mark that says more is damage, and the numbers must not run out after it.
    static let max: Int64 = 1 << 46

    static func begin(_ db: Database) throws { try Counter.set(name, Int64(0), db) }

    static func of(_ db: Database) throws -> Int64 { try Counter.value(name, db) ?? 0 }

    /// Gives the next position, which holds once the transaction is committed.
    static func advance(_ db: Database) throws -> Int64 {
        try db.value("UPDATE counter SET value = value + 1 WHERE name = ? RETURNING value", [name]) ?? 0
    }

    /// Passes over a position at which a lost state of the database was, as the log says.
    static func pass(_ position: Int64, _ db: Database) throws {
        try db.execute(
            "UPDATE counter SET value = \(SQL.greatest("value", "?")) WHERE name = ?", [Swift.min(position, max), name])
    }
}
