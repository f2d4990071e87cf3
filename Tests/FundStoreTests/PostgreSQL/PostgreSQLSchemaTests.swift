import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// The tables that PostgreSQL has against those of SQLite.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct PostgreSQLSchemaTests {
    /// Tables and indexes that one engine has alone: the index of words, checksums of rows, and the list of steps.
    private static let sqliteOnly: Set<String> = ["row_check", "grdb_migrations"]
    private static let postgreSQLOnly: Set<String> = ["search_words", "schema_step"]

    /// Both have the same tables with the same columns, the same indexes and triggers; and what a row may be is the
    /// same.
    @Test func bothHaveTheSameTables() async throws {
        let harness = try await StoreHarness()
        try harness.store.close()
        let rows = try PostgreSQLRows(PostgreSQLServer.shared.get().makeDatabase(), size: 1)
        defer { rows.close() }
        try DatabaseFile.read(StoreLocation(root: harness.folder + "/store").database) { db in
            try PostgreSQLSchema.copy(from: db, to: rows)
            let definitions = try db.definitions()
            func names(_ kind: SchemaDefinition.Kind) -> Set<String> {
                Set(definitions.filter { $0.kind == kind && !Self.sqliteOnly.contains($0.table) }.map(\.name))
            }
            try rows.read("look at the tables") { other in
                let tables: [String] = try other.values(
                    "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename")
                #expect(Set(tables).subtracting(Self.postgreSQLOnly) == names(.table))
                for table in names(.table) {
                    let columns: [String] = try other.values(
                        """
                        SELECT column_name FROM information_schema.columns
                        WHERE table_schema = 'public' AND table_name = ? ORDER BY ordinal_position
                        """, [table])
                    #expect(try db.columns(of: table) == columns)
                    let count = "SELECT count(*) FROM \(PostgreSQLDefinition.quoted(table))"
                    #expect(try db.value(count) as Int? == other.value(count), "\(table)")
                }
                let indexes: [String] = try other.values(
                    "SELECT indexname FROM pg_indexes WHERE schemaname = 'public' ORDER BY indexname")
                #expect(names(.index).subtracting(indexes) == [])
                let triggers: [String] = try other.values(
                    "SELECT DISTINCT tgname FROM pg_trigger WHERE NOT tgisinternal ORDER BY tgname")
                #expect(Set(triggers) == names(.trigger).filter { !$0.hasPrefix("row_check_") })
            }
        }
        try rows.checkSchema("look at the steps")
    }
}
