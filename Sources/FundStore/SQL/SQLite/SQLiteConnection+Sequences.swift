/// Numbers of tables with AUTOINCREMENT (https://www.sqlite.org/autoinc.html#the_sqlite_sequence_table).
extension SQLiteConnection {
    func lastNumber(of table: StaticString) throws -> Int64 {
        try value("SELECT seq FROM sqlite_sequence WHERE name = '\(table)'") ?? 0
    }

    func passNumbers(_ count: Int, of table: StaticString) throws {
        try execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = '\(table)'", [count])
    }

    /// Has a table give only numbers above this one.
    func raiseLastNumber(of table: StaticString, to number: Int64) throws {
        try execute("DELETE FROM sqlite_sequence WHERE name = '\(table)' AND seq < ?", [number])
        try execute(
            """
            INSERT INTO sqlite_sequence (name, seq) SELECT '\(table)', ?1
            WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = '\(table)')
            """, [number])
    }

    /// The last numbers of all tables that have such, by the table's name.
    func lastNumbers() throws -> [String: Int64] {
        let numbers = try rows("SELECT name, seq FROM sqlite_sequence") { ($0[0] as String, $0[1] as Int64) }
        return Dictionary(uniqueKeysWithValues: numbers)
    }

    /// Has a table give only numbers above this one, whatever it gave before.
    func setLastNumber(of table: String, to number: Int64) throws {
        try execute("DELETE FROM sqlite_sequence WHERE name = ?", [table])
        try execute("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", [table, number])
    }
}
