import FundCore
import PostgreSQLRoom

/// Copies the rows of a database of SQLite, which nothing changes meanwhile, into one of PostgreSQL, each table in a
/// transaction with its mark. A process that was killed is gone on with at the table in which it was.
struct ServerCopy {
    private static let operation = "copy rows to PostgreSQL"

    let rows: PostgreSQLRows
    /// Identity of the store.
    let store: Int64
    let outline: SchemaOutline
    let counter: RowCounter
    let faults: FaultInjection

    /// The contents of the database that is to get the rows.
    enum Ground {
        case empty
        /// A copy of this store was begun.
        case begun
        /// All rows of a store are there, of the one with this identity.
        case complete(Int64?)
        case other
    }

    static func ground(_ rows: PostgreSQLRows, for store: Int64, _ outline: SchemaOutline) throws -> Ground {
        try rows.read(operation) { connection in
            let db = Database.postgreSQL(connection)
            if try CopyMarks.exist(db) { return try CopyMarks(db: db).isOf(store, outline) ? .begun : .other }
            let names: [String] = try db.values(
                """
                SELECT CAST(relname AS text) FROM pg_class
                WHERE relkind IN ('r', 'p') AND relnamespace = CAST(current_schema() AS regnamespace)
                """)
            guard !names.isEmpty else { return .empty }
            return names.contains("schema_step") && names.contains("counter")
                ? .complete(try StoreIdentity.of(db)) : .other
        }
    }

    /// Makes the tables where `ground` has none, and copies what is not there.
    func run(from source: Database, on ground: Ground) throws {
        let schema = PostgreSQLSchema(outline.definitions)
        try rows.write(Self.operation, .readCommitted) { db in
            if case .begun = ground {
                // Triggers and references stand already: rows that changed since cannot come in any more.
                guard try isFinished(db), try !hasAll(db, of: source) else { return }
                try db.run(script: schema.removal)
                try CopyMarks.end(.postgreSQL(db))
            }
            try db.run(script: schema.tableScript)
            try CopyMarks.begin(of: store, outline, .postgreSQL(db))
        }
        guard try !rows.ask(Self.operation, isFinished) else { return }
        counter.begin(.copying, of: try source.countRows(of: outline.tables))
        for table in outline.tables {
            try copy(table, from: source)
            faults.reach(.afterCopiedTable)
        }
        counter.begin(.indexing)
        try rows.write(Self.operation, .readCommitted) { try schema.finish($0) }
        try PostgreSQLSchema.lookAtRows(rows)
        faults.reach(.afterCopiedRows)
    }

    private func isFinished(_ db: PostgreSQLConnection) throws -> Bool { try db.exists("SELECT 1 FROM schema_step") }

    /// Whether all tables have what the source has now.
    private func hasAll(_ db: PostgreSQLConnection, of source: Database) throws -> Bool {
        counter.begin(.comparing, of: try source.countRows(of: outline.tables))
        let marks = CopyMarks(db: .postgreSQL(db))
        return try outline.tables.allSatisfy { table in
            try marks.has(source.digests(of: table) { _ in counter.count() }, of: table)
        }
    }

    private func copy(_ table: StoreTable, from source: Database) throws {
        let isCopied = try rows.ask(Self.operation) { try CopyMarks(db: .postgreSQL($0)).isCopied(table) }
        if isCopied {
            // The store may have been used since.
            let digests = try source.digests(of: table) { _ in counter.count() }
            if try rows.ask(Self.operation, { try CopyMarks(db: .postgreSQL($0)).has(digests, of: table) }) { return }
        }
        try rows.write(Self.operation, .readCommitted) { db in
            // Rows of a copy that was not right.
            try db.run(script: "TRUNCATE \(table.quoted)")
            var digests = RowDigests()
            try db.copy(table, from: source) { row in
                digests.add(row)
                counter.count()
            }
            digests.finish()
            try CopyMarks(db: .postgreSQL(db)).note(digests, of: table)
        }
    }

    /// Ends the copy once it is known to be right.
    func end() throws { try rows.write(Self.operation, .readCommitted) { try CopyMarks.end(.postgreSQL($0)) } }
}
