import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Signals that tell a process of the commits of others.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct ListenerTests {
    private struct Setup {
        let settings: PostgreSQLSettings
        let signal = Signal()
        let listener: PostgreSQLListener
        let writer: PostgreSQLSession

        init(_ server: PostgreSQLServer, by way: (PostgreSQLSettings) throws -> PostgreSQLSettings = { $0 }) throws {
            settings = try server.makeDatabase()
            writer = try PostgreSQLSession(settings)
            try writer.run(script: "CREATE TABLE counter (value bigint); INSERT INTO counter VALUES (0)")
            listener = PostgreSQLListener(try way(settings), channel: "changes", raising: signal) { session in
                try PostgreSQLResultRow(session.run("SELECT value FROM counter"), 0).value(0) ?? 0
            }
        }

        /// Begins, and waits until the first signal, which says that the connection stands.
        func start() async throws {
            #expect(listener.start())
            try await eventually { signal.count == 1 }
        }
    }

    @Test func aNotificationArrivesAtOnce() async throws {
        let setup = try Setup(PostgreSQLServer.shared.get())
        try await setup.start()
        defer { setup.listener.stop() }
        #expect(setup.listener.isConnected)
        // The number of the look stays: only the notification tells.
        try setup.writer.transaction(.readCommitted) { _ = try setup.writer.run("NOTIFY changes") }
        #expect(try await setup.signal.count(after: 1) == 2)
    }

    @Test func whatIsNotNotifiedIsSeenByALook() async throws {
        let setup = try Setup(PostgreSQLServer.shared.get())
        try await setup.start()
        defer { setup.listener.stop() }
        _ = try setup.writer.run("UPDATE counter SET value = 7")
        #expect(try await setup.signal.count(after: 1) == 2)
    }

    /// It tries again all the same, and says why the connection does not stand.
    @Test func aListenerThatIsRefusedSaysWhy() async throws {
        let setup = try Setup(PostgreSQLServer.shared.get()) { try $0.with(database: "nothing") }
        #expect(setup.listener.start())
        defer { setup.listener.stop() }
        try await eventually { setup.listener.problem != nil }
        #expect((setup.listener.problem as? PostgreSQLError)?.code == .refused && !setup.listener.isConnected)
    }

    /// A commit of a time without a connection is told once there is one again.
    @Test func aListenerThatLostItsConnectionConnectsAgain() async throws {
        let setup = try Setup(PostgreSQLServer.shared.get())
        try await setup.start()
        defer { setup.listener.stop() }
        _ = try setup.writer.run(
            """
            SELECT pg_terminate_backend(pid) FROM pg_stat_activity
            WHERE datname = current_database() AND pid <> pg_backend_pid()
            """)
        #expect(try await setup.signal.count(after: 1) == 2)
        try setup.writer.transaction(.readCommitted) { _ = try setup.writer.run("NOTIFY changes") }
        #expect(try await setup.signal.count(after: 2) == 3)
    }

    /// A server that says nothing is told long before a statement's time is over, and so is its return.
    @Test func aSilentServerIsAnOutage() async throws {
        let server = try PostgreSQLServer.shared.get()
        let line = try FailingLine(to: server.port)
        let settings = try server.makeDatabase().with(host: "127.0.0.1", port: line.port)
        let (pool, signal) = (PostgreSQLPool(settings, size: 1), Signal())
        let listener = PostgreSQLListener(
            settings, channel: "changes", raising: signal, onOutage: { pool.note(outage: $0) }
        ) { session in try PostgreSQLResultRow(session.run("SELECT 1"), 0).value(0) ?? 0 }
        #expect(listener.start())
        defer { listener.stop() }
        try await eventually { signal.count == 1 }
        try pool.check()
        line.beSilent(true)
        try await eventually { pool.health.lastError != nil }
        let error = #expect(throws: PostgreSQLError.self) { try pool.check() }
        #expect(error?.code == .unreachable)
        line.beSilent(false)
        try await eventually { pool.health.lastError == nil }
        try pool.check()
    }

    @Test func aListenerThatIsStoppedEnds() async throws {
        let setup = try Setup(PostgreSQLServer.shared.get())
        try await setup.start()
        setup.listener.stop()
        try await eventually { !setup.listener.isConnected }
    }

    @Test(.enabled(if: PgBouncerServer.isUsable)) func behindAPoolerALookTells() async throws {
        let server = try PostgreSQLServer.shared.get()
        let pooler = try PgBouncerServer(to: server, connections: 2)
        let setup = try Setup(server) { pooler.settings(for: $0) }
        try await setup.start()
        defer { setup.listener.stop() }
        _ = try setup.writer.run("UPDATE counter SET value = 7")
        #expect(try await setup.signal.count(after: 1) == 2)
    }
}
