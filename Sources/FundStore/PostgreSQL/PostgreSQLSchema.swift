import FundCore
import PostgreSQLRoom

/// The tables of a store in PostgreSQL, which are those that it has in SQLite: one description serves both.
struct PostgreSQLSchema {
    /// Tables with which SQLite alone watches over its rows, and the one with which it counts its steps.
    private static let others: Set<String> = ["grdb_migrations", "row_check"]
    private static let rowChecks = "row_check_"

    /// Steps that the database has taken; and a collation for what SQLite compares by NOCASE, with one case for more
    /// letters than A to Z.
    private static let steps = """
        CREATE TABLE schema_step (number bigint PRIMARY KEY, name text COLLATE "C" NOT NULL, title text NOT NULL);
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

        """

    /// Names of the tables that have rows of the store.
    let tables: [String]
    /// Statements that make the tables.
    let tableScript: String
    /// Statements that make indexes, triggers and references between tables. They come behind the first rows.
    let script: String

    init(_ definitions: [SchemaDefinition]) {
        let common = definitions.filter { !Self.others.contains($0.table) && !$0.name.hasPrefix(Self.rowChecks) }
        let made = common.map { (kind: $0.kind, definition: PostgreSQLDefinition($0)) }
        tables = common.filter { $0.kind == .table }.map(\.name)
        tableScript = Self.steps + made.filter { $0.kind == .table }.map(\.definition.script).joined(separator: "\n")
        let references = made.flatMap(\.definition.references).map { reference in
            "ALTER TABLE \"\(reference.table)\" ADD FOREIGN KEY (\"\(reference.column)\") "
                + "REFERENCES \"\(reference.target)\";"
        }
        let others = made.filter { $0.kind != .table }.map(\.definition.script)
        script = (others + references + [VectorWordIndex.script]).joined(separator: "\n")
    }

    /// Makes the tables of a database of SQLite in an empty database of PostgreSQL, copies all rows, and has the
    /// planner look at them. All of it is there afterwards, or nothing.
    static func copy(from source: Database, to rows: PostgreSQLRows) throws {
        let schema = try PostgreSQLSchema(source.definitions())
        let last = try source.file.lastNumbers()
        try rows.write("copy rows to PostgreSQL") { db in
            try db.run(script: schema.tableScript)
            for table in schema.tables {
                try copy(table, from: source, to: db)
                guard let column = try db.identityColumn(of: table) else { continue }
                let highest: Int64? = try db.value("SELECT max(\(column)) FROM \(PostgreSQLDefinition.quoted(table))")
                try db.raiseLastNumber(of: table, to: max(highest ?? 0, last[table] ?? 0))
            }
            try db.run(script: schema.script)
            for step in Schema.migrations.steps {
                try db.execute(
                    "INSERT INTO schema_step (number, name, title) VALUES (?, ?, ?)",
                    [step.number, step.name, step.title])
            }
        }
        // A list of two million rows took 190 ms before it, and less than one afterwards.
        try rows.ask("look at the rows") { try $0.run(script: "ANALYZE") }
    }

    private static func copy(_ table: String, from source: Database, to db: PostgreSQLConnection) throws {
        let columns = try source.columns(of: table).map(PostgreSQLDefinition.quoted)
        let name = PostgreSQLDefinition.quoted(table)
        _ = try db.session.copy(into: name, columns) { writer in
            try source.forEach("SELECT \(columns.joined(separator: ", ")) FROM \(name)") { row in
                try writer.write(
                    columns.indices.map { column in
                        let content: SQLContent? = row[column]
                        return content?.postgreSQL ?? .null
                    })
                return true
            }
        }
    }
}
