import FundCore
import Testing

@testable import FundStore

/// Statements as the store runs them.
@Suite struct DatabaseTests {
    private func write<Value>(_ harness: StoreHarness, _ body: (Database) throws -> Value) throws -> Value {
        try harness.store.connection.pool.write(body)
    }

    /// A table to play with.
    private func harness() async throws -> StoreHarness {
        let harness = try await StoreHarness()
        try harness.store.connection.pool.withWriter { db in
            try db.run(script: "CREATE TABLE play (id INTEGER PRIMARY KEY, name TEXT UNIQUE, note TEXT)")
        }
        return harness
    }

    private func names(_ harness: StoreHarness) throws -> [String] {
        try harness.store.connection.pool.read { try $0.values("SELECT name FROM play ORDER BY id") }
    }

    private func fails(_ body: () throws -> Void) -> Bool {
        do { try body() } catch { return true }
        return false
    }

    @Test func whatIsNotThereIsNil() async throws {
        let harness = try await harness()
        try write(harness) { db in
            #expect(try db.execute("INSERT INTO play (name, note) VALUES (?, ?)", ["a", nil]) == 1)
            #expect(try db.value("SELECT note FROM play WHERE name = ?", ["a"]) as String? == nil)
            #expect(try db.value("SELECT note FROM play WHERE name = ?", ["b"]) as String? == nil)
            #expect(try db.value("SELECT name FROM play WHERE name = ?", ["a"]) == "a")
            // The argument of the time before is forgotten.
            try db.execute("INSERT INTO play (name, note) VALUES (?, ?)", ["b", "x"])
            try db.execute("INSERT INTO play (name, note) VALUES (?, ?)", ["c", nil])
            #expect(try db.value("SELECT note FROM play WHERE name = 'c'") as String? == nil)
        }
    }

    @Test func wrongArgumentsAndTypesAreErrors() async throws {
        let harness = try await harness()
        try write(harness) { db in
            #expect(throws: (any Error).self) { try db.execute("INSERT INTO play (name) VALUES (?)", ["a", "b"]) }
            #expect(throws: (any Error).self) { try db.value("SELECT name FROM play WHERE id = ?", []) as String? }
            try db.execute("INSERT INTO play (name) VALUES ('a')")
            #expect(throws: (any Error).self) { try db.value("SELECT name FROM play") as ContentDigest? }
        }
    }

    @Test func aStatementCanBeRunAgainAfterAnError() async throws {
        let harness = try await harness()
        let sql = "INSERT INTO play (name) VALUES (?)"
        try write(harness) { db in
            try db.execute(sql, ["a"])
            let error = #expect(throws: (any Error).self) { try db.execute(sql, ["a"]) }
            #expect("\(try #require(error))".contains("UNIQUE constraint failed: play.name"))
            try db.execute(sql, ["b"])
        }
        #expect(try names(harness) == ["a", "b"])
    }

    /// SQLite gives a transaction up by itself, as on a full disk. What goes on in it must not be written, and the next
    /// one is whole.
    @Test func nothingIsWrittenBehindATransactionThatWasGivenUp() async throws {
        let harness = try await harness()
        let isRefused = fails {
            try write(harness) { db in
                try db.execute("INSERT INTO play (name) VALUES ('a')")
                #expect(fails { try db.execute("INSERT OR ROLLBACK INTO play (name) VALUES ('a')") })
                #expect(fails { try db.execute("INSERT INTO play (name) VALUES ('b')") })
                #expect(fails { _ = try db.value("INSERT INTO play (name) VALUES ('c') RETURNING id") as Int? })
            }
        }
        #expect(isRefused)
        #expect(try names(harness) == [])
        for name in ["d", "e"] {
            try write(harness) { db in try db.execute("INSERT INTO play (name) VALUES (?)", [name]) }
        }
        #expect(try names(harness) == ["d", "e"])
    }

    @Test func questionsTogetherSeeOneMomentAndEndAlsoWithAnError() async throws {
        let harness = try await harness()
        let connection = harness.store.connection
        let count = "SELECT count(*) FROM play"
        try connection.ask("") { db in
            try db.readTransaction {
                #expect(try db.value(count) == 0)
                try write(harness) { try $0.execute("INSERT INTO play (name) VALUES ('a')") }
                #expect(try db.value(count) == 0)
            }
            #expect(try db.value(count) == 1)
            let isTold = fails {
                try db.readTransaction {
                    #expect(try db.value(count) == 1)
                    throw StoreError(.invalid, "", "")
                }
            }
            #expect(isTold)
            try write(harness) { try $0.execute("INSERT INTO play (name) VALUES ('b')") }
            #expect(try db.value(count) == 2)
        }
    }

    /// Another connection changes the schema: a statement that is kept is prepared anew.
    @Test func aKeptStatementLivesOnUnderANewSchema() async throws {
        let harness = try await harness()
        let connection = harness.store.connection
        let other = try ConnectionPool(path: connection.location.database, isReadOnly: false)
        let sql = "INSERT INTO play (name) VALUES (?)"
        try write(harness) { try $0.execute(sql, ["a"]) }
        #expect(try connection.ask("") { try $0.value("SELECT max(name) FROM play") } == "a")
        try other.withWriter { try $0.run(script: "ALTER TABLE play ADD COLUMN more TEXT DEFAULT 'm'") }
        try write(harness) { try $0.execute(sql, ["b"]) }
        #expect(try connection.ask("") { try $0.value("SELECT max(name) FROM play") } == "b")
        try other.close()
    }
}
