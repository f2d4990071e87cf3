internal import GRDB

/// An index of a table, as SQL has it: what stands in each of its entries, and which rows have one.
struct TableIndex {
    var name: String
    /// Columns and expressions of a row, without its key; the key stands in an entry, too.
    var terms: [String] = []
    /// Places of the terms and of the columns of the key in an entry.
    fileprivate(set) var places: (terms: [Int], key: [Int]) = ([], [])
    /// Collations of what an entry holds, in its order.
    fileprivate var collations: [String] = []
    /// Condition of a partial index; nil for one that has all rows.
    var condition: String?

    /// The name of the table of entries, see `Database.withEntries`.
    var entries: String { Database.quoted("entries of \(name)") }
    func term(_ number: Int) -> String { "entry.at\(places.terms[number])" }
    func key(_ number: Int) -> String { "entry.at\(places.key[number])" }
}

/// A table with what can be asked of its indexes.
struct IndexedTable {
    var name: String
    /// Columns by which a row is known.
    var key: [String]
    var indexes: [TableIndex]
    var quoted: String { Database.quoted(name) }
}

extension Database {
    /// Nil for a table that is not there.
    func indexedTable(_ name: String) throws -> IndexedTable? {
        guard
            let isWithoutIDs: Bool = try value(
                "SELECT wr FROM pragma_table_list WHERE name = ? AND schema = 'main'", [name])
        else { return nil }
        let primary: [String] = try values("SELECT name FROM pragma_table_info(?) WHERE pk > 0 ORDER BY pk", [name])
        let key = isWithoutIDs ? primary : ["rowid"]
        let found = try rows(
            """
            SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? ORDER BY rowid
            """, [name]
        ) { (name: $0[0] as String, sql: $0[1] as String?) }
        let indexes = try found.map { try index($0.name, $0.sql, key: key, primary: primary) }
        return IndexedTable(name: name, key: key, indexes: indexes)
    }

    private func index(_ name: String, _ sql: String?, key: [String], primary: [String]) throws -> TableIndex {
        var index = TableIndex(name: name)
        let (written, condition) = sql.map(Self.parts) ?? ([], nil)
        index.condition = condition
        let columns = try rows("SELECT cid, name, coll FROM pragma_index_xinfo(?) ORDER BY seqno", [name]) {
            (number: $0[0] as Int, name: $0[1] as String?, collation: $0[2] as String)
        }
        index.places.key = Array(repeating: 0, count: key.count)
        for (place, column) in columns.enumerated() {
            index.collations.append(column.collation)
            // The id of a row has no name there.
            let sql = column.name ?? (column.number == -1 || place >= written.count ? "rowid" : written[place])
            if let number = key.firstIndex(of: sql) {
                index.places.key[number] = place
            } else if !primary.contains(sql) {
                index.terms.append(sql)
                index.places.terms.append(place)
            }
        }
        return index
    }

    /// The terms and the condition of a statement that makes an index.
    private static func parts(_ sql: String) -> ([String], condition: String?) {
        guard let start = sql.firstIndex(of: "(") else { return ([], nil) }
        var (terms, depth, position) = ([""], 1, sql.index(after: start))
        while position < sql.endIndex {
            let character = sql[position]
            position = sql.index(after: position)
            if character == "(" { depth += 1 }
            if character == ")" { depth -= 1 }
            if depth == 0 { break }
            if character == ",", depth == 1 { terms.append("") } else { terms[terms.count - 1].append(character) }
        }
        let rest = sql[position...].split(separator: " WHERE ", maxSplits: 1, omittingEmptySubsequences: false)
        let trimmed = terms.map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
        return (trimmed, rest.count > 1 ? String(rest[1]) : nil)
    }

    /// Runs `body` where the entries of indexes stand in tables: a query of a table with an index may read the row
    /// instead, whatever its entry holds. An index is a table without ids
    /// (https://www.sqlite.org/fileformat2.html#representation_of_an_sql_index), so a line in the schema makes it one.
    /// Meanwhile no index of these tables serves a question: all rows are read from the tables. Nothing of that is
    /// committed. Must be called outside of transactions.
    func withEntries<Value>(of tables: [IndexedTable], _ body: () throws -> Value) throws -> Value? {
        var value: Value?
        defer { try? run(script: "PRAGMA writable_schema = RESET") }
        try base.inTransaction(.immediate) {
            try run(script: "PRAGMA writable_schema = ON")
            for index in tables.flatMap(\.indexes) {
                let columns = index.collations.enumerated().map { "at\($0.offset) COLLATE \($0.element)" }
                let key = index.collations.indices.map { "at\($0)" }.joined(separator: ", ")
                let isOfConstraint = index.name.hasPrefix("sqlite_")
                try execute(
                    isOfConstraint
                        ? """
                        INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql)
                        SELECT 'table', ?1, ?1, rootpage, ?2 FROM sqlite_master WHERE type = 'index' AND name = ?3
                        """
                        : """
                        UPDATE sqlite_master SET type = 'table', name = ?1, tbl_name = ?1, sql = ?2
                        WHERE type = 'index' AND name = ?3
                        """,
                    [
                        "entries of \(index.name)",
                        "CREATE TABLE \(index.entries) (\(columns.joined(separator: ", ")), PRIMARY KEY (\(key))) "
                            + "WITHOUT ROWID", index.name,
                    ])
            }
            try run(script: "PRAGMA writable_schema = RESET")
            value = try body()
            return .rollback
        }
        return value
    }
}
