/// The definition of a table, an index or a trigger, as SQLite keeps it
/// (https://www.sqlite.org/schematab.html).
struct SchemaDefinition {
    enum Kind: String {
        case table, index, trigger
    }

    let kind: Kind
    let name: String
    /// The table that it is, or is about.
    let table: String
    let sql: String
}

extension Database {
    /// The definitions of this database in the order in which they were made, without virtual tables and what belongs
    /// to them.
    func definitions() throws -> [SchemaDefinition] {
        let virtual: [String] = try values(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND sql LIKE 'CREATE VIRTUAL%'")
        return try rows(
            "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"
        ) { row -> SchemaDefinition? in
            let (table, name): (String, String) = (row[2], row[1])
            guard let kind = SchemaDefinition.Kind(rawValue: row[0]), !name.hasPrefix("sqlite_"),
                !virtual.contains(where: { table == $0 || table.hasPrefix("\($0)_") })
            else { return nil }
            return SchemaDefinition(kind: kind, name: name, table: table, sql: row[3])
        }.compactMap { $0 }
    }
}
