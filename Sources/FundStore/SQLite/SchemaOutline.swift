internal import FundCore
internal import GRDB

/// The tables of a store of the present schema, without its rows.
struct SchemaOutline {
    /// Definitions in the order in which they were made.
    let definitions: [SchemaDefinition]
    /// Tables whose rows are copied from one engine to another.
    let tables: [StoreTable]
}

/// A table as copying its rows sees it.
struct StoreTable: Sendable {
    /// Tables with which SQLite alone watches over its rows, and the one with which it counts its steps.
    static let ofSQLite: Set<String> = ["grdb_migrations", "row_check"]
    /// Table of the documents in the index of words. Each engine has an index of its own, which is made anew.
    private static let documents = "search_item"
    /// Columns that say what the index of words has: it has nothing in a copy.
    private static let indexMarks = ["feed": "indexed", "news_item": "is_indexed"]

    let name: String
    let columns: [String]
    /// Columns by which rows differ, and in whose order they are read.
    let key: [String]
    /// Whether numbers of rows that are gone are never given again.
    let keepsNumbers: Bool

    /// Name as SQL has it.
    var quoted: String { Database.quoted(name) }
    /// Columns as SQL has them.
    var list: [String] { columns.map(Database.quoted) }

    /// Names of all columns of the key, separated by commas.
    var keyList: String { key.map(Database.quoted).joined(separator: ", ") }

    /// Statement that reads all rows as a copy has them, in the order of their keys.
    var rows: String {
        let mark = Self.indexMarks[name]
        let values = columns.map { $0 == mark ? "0 AS \(Database.quoted($0))" : Database.quoted($0) }
        return "SELECT \(values.joined(separator: ", ")) FROM \(quoted) ORDER BY \(keyList)"
    }

    /// Nil for a table whose rows are not copied.
    fileprivate init?(_ definition: SchemaDefinition, _ db: Database) throws {
        guard definition.kind == .table, !Self.ofSQLite.contains(definition.name), definition.name != Self.documents
        else { return nil }
        name = definition.name
        let found = try db.rows("SELECT name, pk FROM pragma_table_info(?) ORDER BY cid", [name]) {
            (name: $0[0] as String, place: $0[1] as Int)
        }
        columns = found.map(\.name)
        let key = found.filter { $0.place > 0 }.sorted { $0.place < $1.place }.map(\.name)
        self.key = key.isEmpty ? columns : key
        keepsNumbers = definition.sql.contains("AUTOINCREMENT")
    }
}

extension Migrations {
    /// The outline of a database that has taken all steps.
    func outline() throws -> SchemaOutline {
        let queue = try DatabaseQueue(configuration: ConnectionPool.configuration(isReadOnly: false))
        defer { try? queue.close() }
        try migrator.migrate(queue)
        return try queue.read { base in
            let db = Database(base: base)
            let definitions = try db.definitions()
            return SchemaOutline(
                definitions: definitions, tables: try definitions.compactMap { try StoreTable($0, db) })
        }
    }
}
