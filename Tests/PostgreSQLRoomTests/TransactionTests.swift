import FundCore
import TestSupport
import Testing

@testable import PostgreSQLRoom

/// Transactions: their changes, and their ends.
@Suite(.startsPrograms, .enabled(if: PostgreSQLServer.isUsable)) struct TransactionTests {
    private func settings() throws -> PostgreSQLSettings {
        let settings = try PostgreSQLServer.shared.get().makeDatabase()
        try PostgreSQLSession(settings).run(
            script: "CREATE TABLE play (id bigint PRIMARY KEY, name text); INSERT INTO play VALUES (1, 'a'), (2, 'b')")
        return settings
    }

    private func names(_ session: PostgreSQLSession) throws -> [String?] {
        let result = try session.run("SELECT name FROM play ORDER BY id")
        return try (0..<result.rowCount).map { try PostgreSQLResultRow(result, $0).value(0) }
    }

    private func rename(_ id: Int, _ name: String, _ session: PostgreSQLSession) throws {
        _ = try session.run("UPDATE play SET name = ? WHERE id = ?", [name.postgreSQL, id.postgreSQL])
    }

    @Test func aTransactionKeepsAllOrNothing() throws {
        let session = try PostgreSQLSession(settings())
        try session.transaction(.readCommitted) { try rename(1, "x", session) }
        #expect(throws: CancellationError.self) {
            try session.transaction(.serializable) {
                try rename(2, "y", session)
                throw CancellationError()
            }
        }
        #expect(try names(session) == ["x", "b"])
    }

    /// The error of a statement behind a savepoint within a savepoint.
    private func renameAndFail(_ session: PostgreSQLSession) throws -> PostgreSQLError? {
        do {
            try session.savepoint {
                try session.savepoint { try rename(2, "y", session) }
                _ = try session.run("INSERT INTO play VALUES (1, 'again')")
            }
            return nil
        } catch let error as PostgreSQLError { return error }
    }

    @Test func aSavepointIsUndoneAlone() throws {
        let session = try PostgreSQLSession(settings())
        try session.transaction(.readCommitted) {
            try rename(1, "x", session)
            let error = try renameAndFail(session)
            #expect(error?.code == .constraint)
            #expect(error?.constraint == "play_pkey")
            try session.savepoint { try rename(2, "z", session) }
        }
        #expect(try names(session) == ["x", "z"])
    }

    /// PostgreSQL answers COMMIT with ROLLBACK when a statement before failed.
    @Test func aSwallowedErrorIsNotTakenForACommit() throws {
        let session = try PostgreSQLSession(settings())
        let error = #expect(throws: PostgreSQLError.self) {
            try session.transaction(.readCommitted) {
                try rename(1, "x", session)
                _ = try? session.run("SELECT 1 / 0")
            }
        }
        #expect(error?.code == .misuse)
        #expect(try names(session) == ["a", "b"])
    }

    @Test func twoTransactionsInOneAreAMistake() throws {
        let session = try PostgreSQLSession(settings())
        try session.transaction(.readCommitted) {
            #expect(throws: PostgreSQLError.self) { try session.transaction(.readCommitted) {} }
        }
        #expect(throws: PostgreSQLError.self) { try session.savepoint {} }
    }

    @Test func whatOnlyReadsWritesNothing() throws {
        let session = try PostgreSQLSession(settings())
        let error = #expect(throws: PostgreSQLError.self) {
            try session.transaction(.repeatableRead, isReadOnly: true) { try rename(1, "x", session) }
        }
        #expect(error?.code == .readOnly)
    }

    @Test func readsTogetherSeeOneMoment() throws {
        let settings = try settings()
        let (reader, writer) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        try reader.transaction(.repeatableRead, isReadOnly: true) {
            #expect(try names(reader) == ["a", "b"])
            try writer.transaction(.readCommitted) { try rename(1, "x", writer) }
            #expect(try names(reader) == ["a", "b"])
        }
        #expect(try names(reader) == ["x", "b"])
    }

    /// Two batches that lock the same rows in crossed order: the server ends one, and it can run again.
    @Test func aDeadlockEndsOneOfTwo() async throws {
        let settings = try settings()
        let (first, second) = (Gate(), Gate())
        func run(_ ids: [Int], _ mine: Gate, _ other: Gate) async throws -> PostgreSQLError.Code? {
            try await offPool {
                let session = try PostgreSQLSession(settings)
                _ = try session.run("SET deadlock_timeout = '50ms'")
                do {
                    try session.transaction(.readCommitted) {
                        try rename(ids[0], "\(ids)", session)
                        mine.open()
                        other.wait()
                        try rename(ids[1], "\(ids)", session)
                    }
                    return nil
                } catch let error as PostgreSQLError { return error.code }
            }
        }
        async let one = run([1, 2], first, second)
        async let two = run([2, 1], second, first)
        let codes = try await [one, two]
        #expect(codes.count { $0 == nil } == 1)
        #expect(codes.contains(.conflict))
    }

    @Test func serializableTransactionsThatMeetEndOneOfTwo() throws {
        let settings = try settings()
        let (one, two) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        let error = #expect(throws: PostgreSQLError.self) {
            try one.transaction(.serializable) {
                let count = try names(one).count
                try two.transaction(.serializable) {
                    let count = try names(two).count
                    try rename(1, "\(count)", two)
                }
                try rename(2, "\(count)", one)
                try rename(1, "\(count)", one)
            }
        }
        #expect(error?.code == .conflict)
        #expect(error?.canRunAgain == true)
    }

    @Test func aStatementThatTakesTooLongEndsAndTheTransactionGoesOn() throws {
        let session = try PostgreSQLSession(settings())
        try session.transaction(.readCommitted) {
            try rename(1, "x", session)
            let error = #expect(throws: PostgreSQLError.self) {
                try session.limited(to: .milliseconds(100)) { _ = try session.run("SELECT pg_sleep(30)") }
            }
            #expect(error?.code == .tookTooLong)
            try rename(2, "y", session)
        }
        #expect(try names(session) == ["x", "y"])
        #expect(!session.isBroken)
    }

    @Test func theServersOwnLimitsAreTold() throws {
        var settings = try settings()
        settings.timeouts.lock = .milliseconds(100)
        let (holder, other) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        try holder.transaction(.readCommitted) {
            try rename(1, "x", holder)
            let error = #expect(throws: PostgreSQLError.self) {
                try other.transaction(.readCommitted) { try rename(1, "y", other) }
            }
            #expect(error?.code == .lockTimeout)
        }
        _ = try other.run("SET statement_timeout = '50ms'")
        let late = #expect(throws: PostgreSQLError.self) { try other.run("SELECT pg_sleep(30)") }
        #expect(late?.code == .tookTooLong)
    }

    /// A program that stands still within a transaction keeps its locks for a bounded time, and commits nothing after.
    @Test func anIdleTransactionLosesItsLocksAndCommitsNothing() throws {
        var settings = try settings()
        settings.timeouts.idleInTransaction = .milliseconds(200)
        let (sleeper, other) = (try PostgreSQLSession(settings), try PostgreSQLSession(settings))
        let error = #expect(throws: PostgreSQLError.self) {
            try sleeper.transaction(.readCommitted) {
                try rename(1, "x", sleeper)
                // Ends once the server has ended the sleeper's transaction.
                try other.transaction(.readCommitted) { try rename(1, "y", other) }
                try rename(2, "x", sleeper)
            }
        }
        #expect(error?.code == .lost)
        #expect(sleeper.isBroken)
        #expect(try names(other) == ["y", "b"])
    }

    @Test func anotherThreadEndsWhatRuns() async throws {
        let pool = try PostgreSQLPool(settings(), size: 2)
        let isRunning =
            "SELECT 1 FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep%' AND datname = current_database()"
        let task = Task { try await pool.run { _ = try $0.run("SELECT pg_sleep(300)") } }
        try await eventually { try await pool.run { try $0.run(isRunning).rowCount == 1 } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        try await eventually { try await pool.run { try $0.run(isRunning).rowCount == 0 } }
        #expect(pool.health.idle == 2)
    }

    @Test func aTaskThatIsCancelledBeforeAsksNothing() async throws {
        let pool = try PostgreSQLPool(settings(), size: 1)
        let task = Task {
            await untilCancelled()
            try await pool.run { _ = try $0.run("UPDATE play SET name = 'x'") }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        let kept = try await pool.run { try names($0) }
        #expect(kept == ["a", "b"])
    }
}
