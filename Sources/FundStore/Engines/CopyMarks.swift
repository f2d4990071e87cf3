internal import FundCore

/// The progress of a copy of all rows, in a table of the database that gets them. A process that goes on with the copy
/// skips what is there and still the same. The table goes when the copy is complete.
struct CopyMarks {
    /// Name of the mark that says of which store the copy is; those of tables have the table's.
    private static let storeMark = ""
    private static let table = "copied_table"

    let db: Database

    /// Whether a copy was begun here and has not ended.
    static func exist(_ db: Database) throws -> Bool { try db.hasTable(table) }

    /// Begins a copy of a store with tables of these definitions.
    static func begin(of store: Int64, _ outline: SchemaOutline, _ db: Database) throws {
        let (text, number, bytes) =
            switch db {
            case .sqlite: ("TEXT", "INTEGER", "BLOB")
            case .postgreSQL: ("text COLLATE \"C\"", "bigint", "bytea")
            }
        try db.run(
            script: """
                CREATE TABLE \(table) (name \(text) PRIMARY KEY, number \(number) NOT NULL, digest \(bytes) NOT NULL)
                """)
        try CopyMarks(db: db).note(storeMark, store, digest(of: outline))
    }

    private static func digest(of outline: SchemaOutline) -> ContentDigest {
        .of(outline.definitions.flatMap { Array($0.sql.utf8) + [0] })
    }

    private func note(_ name: String, _ number: Int64, _ digest: ContentDigest) throws {
        try db.execute("DELETE FROM \(Self.table) WHERE name = ?", [name])
        try db.execute("INSERT INTO \(Self.table) (name, number, digest) VALUES (?, ?, ?)", [name, number, digest])
    }

    private func mark(_ name: String) throws -> (number: Int64, digest: ContentDigest)? {
        try db.row("SELECT number, digest FROM \(Self.table) WHERE name = ?", [name]).map {
            (number: $0[0], digest: try $0.digest(1))
        }
    }

    /// Whether the copy that was begun is of this store, with tables of these definitions.
    func isOf(_ store: Int64, _ outline: SchemaOutline) throws -> Bool {
        guard let mark = try mark(Self.storeMark) else { return false }
        return mark.number == store && mark.digest == Self.digest(of: outline)
    }

    /// Notes that all rows of a table are there.
    func note(_ digests: RowDigests, of table: StoreTable) throws {
        try note(table.name, Int64(digests.count), digests.whole)
    }

    func isCopied(_ table: StoreTable) throws -> Bool { try mark(table.name) != nil }

    /// Whether the rows of a table that were copied have these digests.
    func has(_ digests: RowDigests, of table: StoreTable) throws -> Bool {
        guard let mark = try mark(table.name) else { return false }
        return mark.number == Int64(digests.count) && mark.digest == digests.whole
    }

    /// Has a table be copied anew.
    func forget(_ table: StoreTable) throws { try db.execute("DELETE FROM \(Self.table) WHERE name = ?", [table.name]) }

    /// Ends the copy.
    static func end(_ db: Database) throws { try db.run(script: "DROP TABLE IF EXISTS \(table)") }
}
