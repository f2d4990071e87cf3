import FundCore

/// Ids are never used again, since clients keep what they know by id. SQLite gives the next row the id after the last
/// one: where the last row of a table may be removed, its number is kept, and rows are inserted with an id.
enum RowNumbers {
    /// In SQL, the next id of `table`, of which rows are removed with `noteLast`.
    static func next(_ table: StaticString) -> String {
        """
        (SELECT max(coalesce((SELECT max(id) FROM \(table)), 0),
            coalesce((SELECT value FROM counter WHERE name = 'last_\(table)'), 0)) + 1)
        """
    }

    /// The next ids of `table`, one after the other, within one transaction that inserts no others there.
    struct Sequence {
        private let table: StaticString
        private var last: Int64?

        init(_ table: StaticString) { self.table = table }

        mutating func next<Entity>(_ db: Database) throws -> ID<Entity> {
            let next: Int64 = try last.map { $0 + 1 } ?? db.value("SELECT \(RowNumbers.next(table))") ?? 1
            last = next
            return ID(next)
        }
    }

    /// Passes over so many ids of `table`: they are never given. Its rows are inserted with `next`.
    static func pass(_ count: Int64, of table: StaticString, _ db: Database) throws {
        let last: Int64 = try db.value("SELECT \(next(table)) - 1") ?? 0
        try Counter.set("last_\(table)", last + count, db)
    }

    /// To be called before rows of `table` are removed.
    static func noteLast(_ table: StaticString, _ db: Database) throws {
        let last: Int64 = try db.value("SELECT \(next(table)) - 1") ?? 0
        try Counter.set("last_\(table)", last, db)
    }
}
