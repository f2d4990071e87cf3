import FundCore
import PostgreSQLRoom
import TestSupport
import Testing

@testable import FundStore

/// Transactions that run again, and what callers are told when they do not.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct PostgreSQLRowsTests {
    private func rows(_ way: (PostgreSQLSettings) throws -> PostgreSQLSettings = { $0 }) throws -> PostgreSQLRows {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        let rows = try PostgreSQLRows(way(settings), size: 8)
        try rows.write("make a table") { db in
            try db.run(
                script: """
                    CREATE TABLE play (id bigint PRIMARY KEY, number bigint NOT NULL);
                    INSERT INTO play SELECT n, 0 FROM generate_series(1, 20) AS n
                    """)
        }
        return rows
    }

    private func sum(_ rows: PostgreSQLRows) throws -> Int? {
        try rows.read("sum") { try $0.value("SELECT sum(number) FROM play") }
    }

    /// Batches that lock the same rows in crossed orders: each is kept once.
    @Test func deadlocksAreRunAgain() async throws {
        let rows = try rows()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 {
                group.addTask {
                    try await offPool {
                        let ids = number % 2 == 0 ? Array(1...6) : Array((1...6).reversed())
                        try rows.write("count", .readCommitted) { db in
                            try db.execute("SET LOCAL deadlock_timeout = '20ms'")
                            for id in ids { try db.execute("UPDATE play SET number = number + 1 WHERE id = ?", [id]) }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try sum(rows) == 72)
    }

    /// Each reads before it writes, as code does that knows one writer: nothing is lost.
    @Test func writersThatReadBeforeLoseNothing() async throws {
        let rows = try rows()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    try await offPool {
                        for _ in 0..<5 {
                            try rows.write("count") { db in
                                let number: Int = try db.value("SELECT number FROM play WHERE id = 1") ?? 0
                                try db.execute("UPDATE play SET number = ? WHERE id = 1", [number + 1])
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try sum(rows) == 20)
    }

    /// Transactions that others meet again and again get their turn.
    @Test func aTransactionThatOthersMeetOftenIsKept() throws {
        let rows = try rows()
        var tries = 0
        try rows.write("count") { db in
            tries += 1
            let number: Int = try db.value("SELECT number FROM play WHERE id = 1") ?? 0
            if tries < 8 {
                try rows.write("meet it") { try $0.execute("UPDATE play SET number = number + 1 WHERE id = 1") }
            }
            try db.execute("UPDATE play SET number = ? WHERE id = 1", [number + 1])
        }
        #expect(tries == 8)
        #expect(try sum(rows) == 8)
    }

    @Test func aConnectionLostBeforeCommitIsRunAgain() throws {
        let server = try PostgreSQLServer.shared.get()
        let line = try FailingLine(to: server.port)
        let rows = try rows { $0.with(host: "127.0.0.1", port: line.port) }
        let known = rows.commits.count
        line.cut(.beforeAnswer, "UPDATE")
        var tries = 0
        try rows.write("count") { db in
            tries += 1
            try db.execute("UPDATE play SET number = number + 1 WHERE id = 1")
        }
        #expect(tries == 2)
        #expect(rows.commits.count == known + 1)
        #expect(try sum(rows) == 1)
    }

    @Test func aCommitWithoutAnAnswerIsNotRunAgain() throws {
        let server = try PostgreSQLServer.shared.get()
        let line = try FailingLine(to: server.port)
        let rows = try rows { $0.with(host: "127.0.0.1", port: line.port) }
        line.cut(.beforeAnswer, "COMMIT\0")
        var tries = 0
        let error = #expect(throws: StoreError.self) {
            try rows.write("count") { db in
                tries += 1
                try db.execute("UPDATE play SET number = number + 1 WHERE id = 1")
            }
        }
        #expect(error?.code == .uncertain)
        #expect(tries == 1)
        #expect(try sum(rows) == 1)
    }

    @Test func whatGoesWrongHasACode() throws {
        let rows = try rows()
        func code<Value>(_ body: (PostgreSQLConnection) throws -> Value) -> StoreError.Code? {
            do { try rows.write("try") { try body($0) } } catch { return (error as? StoreError)?.code }
            return nil
        }
        #expect(code { try $0.execute("INSERT INTO play VALUES (1, 1)") } == .io)
        #expect(code { try $0.execute("SELECT 1 / 0") } == .io)
        #expect(
            code { db in try db.limited(to: .milliseconds(50), "wait") { try db.execute("SELECT pg_sleep(9)") } }
                == .tookTooLong)
        let gone = try PostgreSQLRows(
            PostgreSQLServer.shared.get().settings(database: "postgres").with(
                host: "127.0.0.1", port: HeldPort().number),
            size: 1)
        let error = #expect(throws: StoreError.self) { try sum(gone) }
        #expect(error?.code == .unreachable)
        #expect(error?.isTemporary == true)
    }
}
