internal import FundCore

extension Database {
    /// Digests of the rows of a table as a copy has them.
    ///
    /// - Parameter each: called with each row.
    func digests(of table: StoreTable, each: ([SQLContent?]) throws -> Void = { _ in }) throws -> RowDigests {
        var digests = RowDigests()
        try forEach(table.rows) { row in
            let values = table.columns.indices.map { row[$0] as SQLContent? }
            digests.add(values)
            try each(values)
            return true
        }
        digests.finish()
        return digests
    }

    /// Number of rows of all tables.
    func countRows(of tables: [StoreTable]) throws -> Int {
        try tables.reduce(0) { try $0 + (value("SELECT count(*) FROM \($1.quoted)") ?? 0) }
    }

    /// Rows of one piece of a table, behind as many.
    private func piece(of table: StoreTable, behind count: Int) throws -> [[SQLContent?]] {
        try rows("\(table.rows) LIMIT ? OFFSET ?", [RowDigests.pieceRows, count]) { row in
            table.columns.indices.map { row[$0] as SQLContent? }
        }
    }

    /// The first row by which a table differs from its copy, in words.
    ///
    /// - Parameter count: rows before it that do not.
    func difference(in table: StoreTable, from copy: Database, behind count: Int) throws -> String {
        let (own, others) = (try piece(of: table, behind: count), try copy.piece(of: table, behind: count))
        let equal = zip(own, others).prefix { $0 == $1 }.count
        guard let row = own.dropFirst(equal).first ?? others.dropFirst(equal).first else {
            return "rows of \(table.name)"
        }
        let key = table.key.map { column in
            let value = table.columns.firstIndex(of: column).flatMap { row[$0] }
            return "\(column) \(value?.words ?? "NULL")"
        }
        return "the row of \(table.name) with \(key.joined(separator: ", "))"
    }
}
