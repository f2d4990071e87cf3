/// Numbers of tables with AUTOINCREMENT (https://www.sqlite.org/autoinc.html#the_sqlite_sequence_table).
extension SQLiteConnection {
    func lastNumber(of table: StaticString) throws -> Int64 {
        try value("SELECT seq FROM sqlite_sequence WHERE name = '\(table)'") ?? 0
    }

    func passNumbers(_ count: Int, of table: StaticString) throws {
        try execute("UPDATE sqlite_sequence SET seq = seq + ? WHERE name = '\(table)'", [count])
    }
}
