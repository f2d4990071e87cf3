import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct MigrationTests {
    @Test func eachStepIsTakenOnce() throws {
        let harness = try SchemaHarness()
        let (older, present) = (Self.steps(1), Self.steps(2))
        try older.run(on: harness.pool)
        #expect(try harness.pool.read { try older.areComplete(in: $0) })
        #expect(try !harness.pool.read { try present.areComplete(in: $0) })
        #expect(try !harness.pool.read { try present.areSuperseded(in: $0) })
        for _ in 0..<2 {
            try present.run(on: harness.pool)
            #expect(try harness.texts("SELECT name FROM step ORDER BY rowid") == ["1", "2"])
            #expect(try harness.pool.read { try present.areComplete(in: $0) })
        }
        #expect(try harness.pool.read { try older.areSuperseded(in: $0) })
    }

    @Test func anEmptyDatabaseTakesAllSteps() throws {
        let harness = try SchemaHarness()
        let present = Self.steps(2)
        #expect(try !harness.pool.read { try present.areComplete(in: $0) })
        #expect(try !harness.pool.read { try present.areSuperseded(in: $0) })
        try present.run(on: harness.pool)
        #expect(try harness.texts("SELECT name FROM step ORDER BY rowid") == ["1", "2"])
    }

    @Test func aStepThatFailsLeavesNothing() throws {
        let harness = try SchemaHarness()
        var failing = Self.steps(1)
        failing.add("2") { db in
            try db.run(script: "INSERT INTO step VALUES ('half'); CREATE TABLE half (id INTEGER PRIMARY KEY) STRICT;")
            throw StoreError(.io, "take a step", "it fails")
        }
        #expect(throws: StoreError.self) { try failing.run(on: harness.pool) }
        #expect(try harness.texts("SELECT name FROM step ORDER BY rowid") == ["1"])
        #expect(try !harness.hasTable("half"))
        #expect(try !harness.pool.read { try failing.areComplete(in: $0) })
        try Self.steps(2).run(on: harness.pool)
        #expect(try harness.texts("SELECT name FROM step ORDER BY rowid") == ["1", "2"])
    }

    @Test func anOlderStoreIsUpdatedByTheFirstThatWrites() async throws {
        let older = try Self.olderStore()
        let path = older.location.root
        #expect { try FundStore.open(at: path, mode: .readOnly) } throws: { ($0 as? StoreError)?.code == .invalid }
        #expect(try !older.hasTable("email"))
        let store = try FundStore.open(at: path, mode: .existing)
        #expect(try await store.administration.users().isEmpty)
        // An installer reads the number of the schema from the file alone, at byte 60, also while a server runs.
        let number = try store.connection.read("") { try $0.userVersion }
        let header = try TestFile.read(older.location.database)[60..<64]
        #expect(number > 0 && header.reduce(0) { $0 << 8 | Int($1) } == number)
        try FundStore.open(at: path, mode: .readOnly).close()
        try store.close()
        #expect(try older.hasTable("email") && older.hasTable("earlier"))
    }

    /// An older server that runs goes on with the store that it knows, and can be started again.
    @Test func nothingIsUpdatedDuringARun() async throws {
        let older = try Self.olderStore()
        let location = older.location
        let other = try FileLock(path: location.useLock, owner: nil)
        #expect(other.share())
        #expect { try FundStore.open(at: location.root, mode: .existing) } throws: { error in
            (error as? StoreError)?.code == .held
        }
        #expect(try !older.hasTable("email"))
        other.close()
        let store = try FundStore.open(at: location.root, mode: .existing)
        #expect(try await store.administration.users().isEmpty)
        try store.close()
        #expect(try older.hasTable("email"))
    }

    /// The first of two steps. They note that they were taken.
    private static func steps(_ count: Int) -> Migrations {
        let scripts = [
            "CREATE TABLE step (name TEXT NOT NULL) STRICT; INSERT INTO step VALUES ('1');",
            "INSERT INTO step VALUES ('2');",
        ]
        var migrations = Migrations()
        for (index, script) in scripts.prefix(count).enumerated() {
            migrations.add("\(index + 1)") { db in try db.run(script: script) }
        }
        return migrations
    }

    /// A store of ours that lacks what the present schema has.
    private static func olderStore() throws -> SchemaHarness {
        let harness = try SchemaHarness()
        try harness.run(
            """
            CREATE TABLE earlier (id INTEGER PRIMARY KEY) STRICT;
            PRAGMA application_id = \(Schema.applicationID);
            """)
        return harness
    }
}
