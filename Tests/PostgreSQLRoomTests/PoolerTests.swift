import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// PgBouncer in transaction mode: each transaction may run on another connection of the server.
@Suite(.startsPrograms, .enabled(if: PgBouncerServer.isUsable)) struct PoolerTests {
    private let direct: PostgreSQLSettings
    private let pooled: PostgreSQLSettings
    private let pooler: PgBouncerServer

    init() throws {
        let server = try PostgreSQLServer.shared.get()
        direct = try server.makeDatabase()
        pooler = try PgBouncerServer(to: server, connections: 2)
        pooled = pooler.settings(for: direct)
        try PostgreSQLSession(direct).run(script: "CREATE TABLE play (id bigint PRIMARY KEY, name text)")
    }

    private func value<Value: PostgreSQLValue>(_ session: PostgreSQLSession, _ sql: String) throws -> Value? {
        try PostgreSQLResultRow(session.run(sql), 0).value(0)
    }

    @Test func aPoolerIsRecognised() throws {
        #expect(try !PostgreSQLSession(direct).isPooled)
        #expect(try PostgreSQLSession(pooled).isPooled)
    }

    @Test func transactionsOfManyClientsShareTwoConnections() throws {
        let sessions = try (0..<6).map { _ in try PostgreSQLSession(pooled) }
        for round in 0..<5 {
            for (number, session) in sessions.enumerated() {
                let id = Int64(round * 10 + number)
                try session.transaction(.readCommitted) {
                    _ = try session.run("INSERT INTO play VALUES (?, ?)", [.integer(id), .null])
                    try session.savepoint {
                        _ = try session.run("UPDATE play SET name = 'x' WHERE id = ?", [.integer(id)])
                    }
                }
            }
        }
        let session = try PostgreSQLSession(direct)
        #expect(try value(session, "SELECT count(*) FROM play WHERE name = 'x'") == 30)
        // Nothing of ours is left on the connections that others get.
        let other = try PostgreSQLSession(pooled)
        #expect(try value(other, "SELECT count(*) FROM pg_prepared_statements") == 0)
        #expect(try value(other, "SELECT current_setting('lock_timeout')") == "0")
        #expect(try value(other, "SELECT current_setting('statement_timeout')") == "0")
    }

    @Test func limitsHoldWithinATransaction() throws {
        let session = try PostgreSQLSession(pooled)
        try session.transaction(.readCommitted) {
            let limit: String? = try value(session, "SELECT current_setting('lock_timeout')")
            #expect(limit == "10s")
        }
    }

    /// A wish to end a statement may reach a later one through a pooler: such a connection is given up.
    @Test func aConnectionWithACancelledStatementIsNotUsedAgain() throws {
        let session = try PostgreSQLSession(pooled)
        let error = #expect(throws: PostgreSQLError.self) {
            try session.limited(to: .milliseconds(200)) { _ = try session.run("SELECT pg_sleep(30)") }
        }
        #expect(error?.code == .tookTooLong)
        #expect(session.isBroken)
    }

    @Test func copyAndRowsOneByOneWork() throws {
        let session = try PostgreSQLSession(pooled)
        try session.transaction(.readCommitted) {
            let count = try session.copy(into: "play", ["id", "name"]) { writer in
                for id in 0..<1_000 { try writer.write([.integer(Int64(id)), .text("n")]) }
            }
            #expect(count == 1_000)
        }
        var count = 0
        try session.forEach("SELECT id FROM play WHERE name = ?", [.text("n")]) { _ in
            count += 1
            return true
        }
        #expect(count == 1_000)
    }
}
