import FundCore

/// Ids that are never given twice, since clients keep what they know by id. An engine gives the next row the id after
/// the last one that is there. So rows of these tables are inserted with an id, and the last one that was given is kept
/// when rows are removed. Tables of which the numbers alone matter have sequences of the engine, see
/// `Database.lastNumber`.
enum RowNumbers {
    enum Table: String, CaseIterable { case fund, folder, file, note, email, attachment }

    private static func counter(_ table: Table) -> String { "last_\(table.rawValue)" }

    /// The last id of a table that was given, in SQL.
    private static func last(_ table: Table) -> String {
        SQL.greatest(
            "coalesce((SELECT max(id) FROM \(table.rawValue)), 0)",
            "coalesce((SELECT value FROM counter WHERE name = '\(counter(table))'), 0)")
    }

    /// The next id of a table, in SQL.
    static func next(_ table: Table) -> String { "(SELECT \(last(table)) + 1)" }

    /// The next ids, one after the other, within one transaction that inserts no other rows into their tables.
    struct Sequence {
        private var last: [Table: Int64] = [:]

        mutating func next<Entity>(_ table: Table, _ db: Database) throws -> ID<Entity> {
            let next: Int64 = try last[table].map { $0 + 1 } ?? db.value("SELECT \(RowNumbers.next(table))") ?? 1
            last[table] = next
            return ID(next)
        }
    }

    /// Passes over ids of a table: they are never given.
    static func pass(_ count: Int64, of table: Table, _ db: Database) throws {
        let last: Int64 = try db.value("SELECT \(last(table))") ?? 0
        try Counter.set(counter(table), last + count, db)
    }

    /// Keeps the last id of a table. Called before rows of it are removed.
    static func noteLast(_ table: Table, _ db: Database) throws { try pass(0, of: table, db) }
}
