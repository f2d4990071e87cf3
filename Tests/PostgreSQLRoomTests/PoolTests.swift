internal import Dispatch
import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Connections that are shared, and what becomes of dead ones.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct PoolTests {
    private func pool(size: Int) throws -> PostgreSQLPool {
        try PostgreSQLPool(PostgreSQLServer.shared.get().makeDatabase(), size: size)
    }

    private func process(_ pool: PostgreSQLPool) throws -> Int { try pool.withSession { $0.process } }

    @Test func aConnectionIsUsedAgain() throws {
        let pool = try pool(size: 2)
        let first = try process(pool)
        #expect(try process(pool) == first)
        #expect(pool.health.idle == 1)
        #expect(pool.health.used == 0)
        try pool.check()
    }

    @Test func oneThatFailedIsNotUsedAgain() throws {
        let pool = try pool(size: 1)
        let first = try process(pool)
        #expect(throws: PostgreSQLError.self) {
            try pool.withSession { _ = try $0.run("SELECT pg_terminate_backend(pg_backend_pid())") }
        }
        #expect(try process(pool) != first)
    }

    /// All connections die while they are idle: what comes next gets a new one at once, and no time-out.
    @Test func deadConnectionsAreFoundBeforeTheyAreUsed() throws {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        let (pool, other) = (PostgreSQLPool(settings, size: 3), try PostgreSQLSession(settings))
        try pool.withSession { _ in try pool.withSession { _ in try pool.withSession { _ in } } }
        #expect(pool.health.idle == 3)
        let condition = "datname = current_database() AND pid <> pg_backend_pid()"
        _ = try other.run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE \(condition)")
        _ = try firstResult(orElse: "they do not end") { () -> Void? in
            try other.run("SELECT 1 FROM pg_stat_activity WHERE \(condition)").rowCount == 0 ? () : nil
        }
        let start = ContinuousClock.now
        for _ in 0..<3 { try pool.withSession { _ = try $0.run("SELECT 1") } }
        #expect(.now - start < .seconds(15))
    }

    @Test func aServerThatComesBackIsUsedAgain() throws {
        let server = try PostgreSQLServer()
        let pool = try PostgreSQLPool(server.settings(database: "postgres"), size: 2)
        try pool.check()
        try server.kill()
        let start = ContinuousClock.now
        for _ in 0..<5 { #expect(throws: PostgreSQLError.self) { try pool.check() } }
        #expect(.now - start < .seconds(45))
        #expect(pool.health.lastError?.code == .unreachable)
        try server.start()
        try pool.check()
        #expect(pool.health.lastError == nil)
    }

    /// A line that has gone silent: what waits on it ends at once, and so does what comes next.
    @Test func anOutageEndsWhatWaits() async throws {
        let server = try PostgreSQLServer.shared.get()
        let line = try FailingLine(to: server.port)
        let pool = PostgreSQLPool(try server.makeDatabase().with(host: "127.0.0.1", port: line.port), size: 2)
        try pool.check()
        line.beSilent(true)
        async let waiting: PostgreSQLError.Code? = DispatchQueue.runAlone("test") {
            do { try pool.withSession { _ = try $0.run("SELECT 1") } } catch let error as PostgreSQLError {
                return error.code
            }
            return nil
        }
        try await eventually { pool.health.used == 1 }
        let start = ContinuousClock.now
        pool.note(outage: PostgreSQLError(.unreachable, "connect", "silent"))
        #expect(throws: PostgreSQLError.self) { try pool.check() }
        pool.note(outage: nil)
        line.beSilent(false)
        try pool.check()
        #expect(.now - start < .seconds(15))
        #expect(try await waiting == .lost)
    }

    @Test func whoGetsNoConnectionInTimeIsTold() throws {
        var settings = try PostgreSQLServer.shared.get().makeDatabase()
        settings.timeouts.connect = .seconds(1)
        let pool = PostgreSQLPool(settings, size: 1)
        try pool.withSession { _ in
            let error = #expect(throws: PostgreSQLError.self) { try pool.withSession { _ in } }
            #expect(error?.code == .busy)
        }
        try pool.check()
    }

    /// The place of a wait that was cancelled goes to the next one.
    @Test func aWaitThatIsCancelledEndsBeforeItsTime() throws {
        var settings = try PostgreSQLServer.shared.get().makeDatabase()
        settings.timeouts.connect = .seconds(300)
        let pool = PostgreSQLPool(settings, size: 1)
        let interruption = Interruption()
        try pool.withSession { _ in
            interruption.request()
            let error = #expect(throws: PostgreSQLError.self) { try pool.withSession(interruption) { _ in } }
            #expect(error?.code == .cancelled)
            #expect(pool.health.waiting == 0 && pool.health.used == 1)
        }
        #expect(pool.health.used == 0)
        try pool.check()
    }

    /// The server has fewer connections than its clients want.
    @Test func aServerWithoutAFreeConnectionIsBusy() throws {
        var options = PostgreSQLServer.Options()
        options.settings = ["max_connections=4", "superuser_reserved_connections=0", "max_wal_senders=0"]
        let server = try PostgreSQLServer(options)
        let settings = try server.settings(database: "postgres")
        // The connections of the server's own start end a moment later.
        let sessions = try (0..<4).map { _ in
            try firstResult(orElse: "no connection") { try? PostgreSQLSession(settings) }
        }
        let error = #expect(throws: PostgreSQLError.self) { try PostgreSQLSession(settings) }
        #expect(error?.code == .busy)
        withExtendedLifetime(sessions) {}
    }

    @Test func aTransactionLeftOpenIsNotHandedOn() throws {
        let pool = try pool(size: 1)
        let first = try pool.withSession { session in
            try session.run(script: "BEGIN")
            return session.process
        }
        #expect(try process(pool) != first)
    }

    @Test func aClosedPoolGivesNone() throws {
        let pool = try pool(size: 1)
        try pool.check()
        pool.close()
        pool.close()
        #expect(throws: PostgreSQLError.self) { try pool.check() }
        #expect(pool.health.idle == 0)
    }

    @Test func manyThreadsShareFewConnections() async throws {
        let pool = try pool(size: 3)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<60 {
                group.addTask {
                    try await pool.run { session in
                        try PostgreSQLResultRow(session.run("SELECT ?", [.integer(Int64(number))]), 0).value(0) ?? -1
                    }
                }
            }
            let sum = try await group.reduce(0, +)
            #expect(sum == 59 * 60 / 2)
        }
        #expect(pool.health.idle <= 3)
    }
}
