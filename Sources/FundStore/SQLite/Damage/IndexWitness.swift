/// A row by its key: an id, or the columns that a table without ids is known by.
struct RowKey: Hashable {
    var table: String
    var names: [String]
    var values: [Int64]

    /// SQL condition for the row, in a table that is called `name`.
    func condition(_ name: String? = nil) -> String {
        zip(names, values).map { "\(name.map { "\($0)." } ?? "")\($0) = \($1)" }.joined(separator: " AND ")
    }

    var description: String { "\(table) \(values.map(String.init).joined(separator: "/"))" }
}

/// Objections of one index to the rows of its table.
struct IndexWitness {
    /// An objection to one row.
    struct Objection {
        var isRowThere: Bool
        var hasEntry: Bool
        /// Whether the row is one that has an entry.
        var isMeant: Bool
        /// Value of each term in the entry, as an SQL literal.
        var values: [String]
    }

    let index: TableIndex
    private(set) var objections: [RowKey: Objection] = [:]

    /// Throws what says that the index or the table cannot be read. Within `Database.withEntries`.
    init(_ index: TableIndex, of table: IndexedTable, _ db: Database) throws {
        self.index = index
        func key(_ row: Row) -> RowKey {
            RowKey(table: table.name, names: table.key, values: table.key.indices.map { row[$0] })
        }
        let condition = index.condition ?? "1"
        let keys = table.key.indices.map(index.key)
        let join = zip(table.key, keys).map { "item.\($0) = \($1)" }.joined(separator: " AND ")
        let (terms, numbers) = (index.terms, Array(index.terms.indices))
        let differs = numbers.map { "(\(terms[$0])) IS NOT \(index.term($0))" }
        let values = numbers.map { "quote(\(index.term($0)))" }
        let objections = try db.rows(
            """
            SELECT \((keys + ["item.\(table.key[0]) IS NOT NULL", "ifnull(\(condition), 0)"] + values)
                .joined(separator: ", "))
            FROM \(index.entries) AS entry LEFT JOIN \(table.quoted) AS item NOT INDEXED ON \(join)
            WHERE \((["item.\(table.key[0]) IS NULL", "NOT ifnull(\(condition), 0)"] + differs)
                .joined(separator: " OR "))
            """
        ) { row in
            let first = keys.count
            let values: [String] = numbers.map { row[first + 2 + $0] }
            return (
                key(row), Objection(isRowThere: row[first], hasEntry: true, isMeant: row[first + 1], values: values)
            )
        }
        // Both are read whole and in their own order: a search in a damaged index misses entries that are there.
        let names = keys.indices.map { "key\($0)" }
        let own = zip(table.key, names).map { "item.\($0) AS \($1)" } + terms.map { "(\($0))" }
        let lacking = try db.rows(
            """
            SELECT \(names.joined(separator: ", ")) FROM (
                SELECT \(own.joined(separator: ", ")) FROM \(table.quoted) AS item NOT INDEXED WHERE (\(condition))
                EXCEPT SELECT \((keys + numbers.map(index.term)).joined(separator: ", "))
                FROM \(index.entries) AS entry)
            """, as: key)
        self.objections = Dictionary(
            lacking.map { ($0, Objection(isRowThere: true, hasEntry: false, isMeant: true, values: [])) },
            // A damaged table may have a row twice.
            uniquingKeysWith: { first, _ in first })
        // Where the entry is there that the row should have, another one is no objection.
        for (key, objection) in objections {
            guard self.objections[key] != nil || !objection.isRowThere || !objection.isMeant else { continue }
            self.objections[key] = objection
        }
    }
}
