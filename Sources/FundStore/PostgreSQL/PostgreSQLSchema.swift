import FundCore
import PostgreSQLRoom

/// The tables of a store in PostgreSQL, which are those that it has in SQLite: one description serves both.
struct PostgreSQLSchema {
    private static let rowChecks = "row_check_"

    /// Steps that the database has taken; and a collation for what SQLite compares by NOCASE, with one case for more
    /// letters than A to Z.
    private static let steps = """
        CREATE TABLE schema_step (number bigint PRIMARY KEY, name text COLLATE "C" NOT NULL, title text NOT NULL);
        CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);

        """

    /// Statements that make the tables.
    let tableScript: String
    /// Statements that make indexes, triggers and references between tables. They come behind the first rows.
    private let script: String
    /// Statements that take all of it away.
    let removal: String

    init(_ definitions: [SchemaDefinition]) {
        let common = definitions.filter {
            !StoreTable.ofSQLite.contains($0.table) && !$0.name.hasPrefix(Self.rowChecks)
        }
        let made = common.map { (kind: $0.kind, definition: PostgreSQLDefinition($0)) }
        tableScript = Self.steps + made.filter { $0.kind == .table }.map(\.definition.script).joined(separator: "\n")
        let references = made.flatMap(\.definition.references).map { reference in
            "ALTER TABLE \"\(reference.table)\" ADD FOREIGN KEY (\"\(reference.column)\") "
                + "REFERENCES \"\(reference.target)\";"
        }
        let others = made.filter { $0.kind != .table }.map(\.definition.script)
        script = (others + references + [VectorWordIndex.script]).joined(separator: "\n")
        let tables = common.filter { $0.kind == .table }.map(\.name) + ["schema_step", VectorWordIndex.table]
        let triggers = common.filter { $0.kind == .trigger }.map(\.name)
        removal =
            (tables.map { "DROP TABLE IF EXISTS \(PostgreSQLDefinition.quoted($0)) CASCADE;" }
            + triggers.map { "DROP FUNCTION IF EXISTS \(PostgreSQLDefinition.quoted($0))();" }
            + ["DROP COLLATION IF EXISTS nocase;"]).joined(separator: "\n")
    }

    /// Makes the tables of a database of SQLite in an empty database of PostgreSQL, copies all rows, and has the
    /// planner look at them. All of it is there afterwards, or nothing.
    static func copy(from source: Database, to rows: PostgreSQLRows) throws {
        let outline = try Schema.migrations.outline()
        let schema = PostgreSQLSchema(outline.definitions)
        try rows.write("copy rows to PostgreSQL") { db in
            try db.run(script: schema.tableScript)
            for table in outline.tables { try db.copy(table, from: source) }
            try schema.finish(db)
        }
        try lookAtRows(rows)
    }

    /// Makes what stands beside the rows, and notes the steps: the tables are those of a store from now on. Within one
    /// transaction.
    func finish(_ db: PostgreSQLConnection) throws {
        try db.run(script: script)
        for step in Schema.migrations.steps {
            try db.execute(
                "INSERT INTO schema_step (number, name, title) VALUES (?, ?, ?)", [step.number, step.name, step.title])
        }
    }

    /// Has the planner look at the rows: a list of two million took 190 ms before it, and less than one afterwards.
    static func lookAtRows(_ rows: PostgreSQLRows) throws {
        try rows.ask("look at the rows") { try $0.run(script: "ANALYZE") }
    }
}

extension PostgreSQLConnection {
    /// Copies the rows of a table of SQLite into the empty one here, and its last number.
    ///
    /// - Parameter note: is given each row.
    func copy(_ table: StoreTable, from source: Database, note: ([SQLContent?]) throws -> Void = { _ in }) throws {
        let columns = table.columns.indices
        _ = try session.copy(into: table.quoted, table.list) { writer in
            try source.forEach(table.rows) { row in
                let values = columns.map { row[$0] as SQLContent? }
                try note(values)
                try writer.write(values.map { $0?.postgreSQL ?? .null })
                return true
            }
        }
        guard let column = try identityColumn(of: table.name) else { return }
        let highest: Int64? = try value("SELECT max(\(column)) FROM \(table.quoted)")
        let last = try source.file.lastNumbers()[table.name]
        try raiseLastNumber(of: table.name, to: max(highest ?? 0, last ?? 0))
    }
}
