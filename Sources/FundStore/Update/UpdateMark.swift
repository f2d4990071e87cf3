import FundCore

/// The number by which the rows after an update and the copy of the rows before it know each other, a counter of each.
/// The name of a copy has a schema alone: so has that of an update before, and of another store.
enum UpdateMark {
    private static let (ofRows, ofCopy) = ("update", "copied_by_update")

    static func make() -> Int64 { Int64.random(in: 1 ... .max) }

    /// The number of the last update of these rows; nil when it gave none, as earlier versions did.
    static func last(_ db: Database) throws -> Int64? { try value(ofRows, db) }

    /// The number of the update that made this copy; nil for rows that are no copy.
    static func ofCopy(_ db: Database) throws -> Int64? { try value(ofCopy, db) }

    static func give(_ mark: Int64, _ db: Database) throws { try set(ofRows, mark, db) }

    static func giveCopy(_ mark: Int64, _ db: Database) throws { try set(ofCopy, mark, db) }

    private static func value(_ name: String, _ db: Database) throws -> Int64? {
        try db.hasTable("counter") ? try Counter.value(name, db) : nil
    }

    /// The first schema has no counters.
    private static func set(_ name: String, _ mark: Int64, _ db: Database) throws {
        if try db.hasTable("counter") { try Counter.set(name, mark, db) }
    }
}
