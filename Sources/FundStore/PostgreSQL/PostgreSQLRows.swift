internal import Glibc
import FundCore
import PostgreSQLRoom

/// The connections to one database of PostgreSQL. Each call runs on the calling thread, which may block, and has a
/// connection and a transaction of its own: there is no lock that all writers share.
final class PostgreSQLRows: Sendable {
    /// Bound of running a transaction again whose connection was lost before its COMMIT.
    private static let maxTries = 6
    /// Bound of running a transaction again that met another one. Each try takes milliseconds, and one of those that
    /// meet goes on.
    private static let conflictTime = Duration.seconds(5)
    private static let firstPause = Duration.milliseconds(10)
    private static let maxPause = Duration.milliseconds(500)

    let pool: PostgreSQLPool
    /// Signal that is raised with every write of this process before the write returns.
    let commits = Signal()

    /// Connects to nothing yet.
    /// - Parameter size: connections at a time.
    init(_ settings: PostgreSQLSettings, size: Int) {
        pool = PostgreSQLPool(settings, size: size, spelling: PostgreSQLText.spelled)
    }

    /// Connects to this database for work that takes as long as all rows do, by one connection. A dead line or server
    /// ends it all the same.
    func patient() -> PostgreSQLRows { PostgreSQLRows(pool.settings.patient, size: 1) }

    /// Runs questions that see the rows as they are at one moment. `body` may run again.
    func read<Value>(_ operation: String, _ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
        try retrying(operation) { db in try db.readTransaction { try body(db) } }
    }

    /// Runs a question of one or two statements, each of which sees the rows as they are at its own moment. `body` may
    /// run again, and changes nothing.
    @discardableResult
    func ask<Value>(_ operation: String, _ body: (PostgreSQLConnection) throws -> Value) throws -> Value {
        try retrying(operation, body)
    }

    /// Commits what `body` writes, or nothing when it throws. `body` may run again. Throws `uncertain` when the line
    /// ends between COMMIT and its answer.
    ///
    /// - Parameters:
    ///   - isolation: `serializable` takes the place of SQLite's one writer; what locks its rows in a fixed order and
    ///     relies on constraints needs no more than `readCommitted`.
    ///   - lease: asked again right before the commit: a holder that was stopped commits nothing.
    @discardableResult
    func write<Value>(
        _ operation: String, _ isolation: TransactionIsolation = .serializable, under lease: RowLease? = nil,
        _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        let value = try retrying(operation) { db in
            try db.session.transaction(isolation) {
                let value = try body(db)
                try lease?.confirm(db)
                return value
            }
        }
        commits.raise()
        return value
    }

    private func retrying<Value>(
        _ operation: String, _ body: (PostgreSQLConnection) throws -> Value
    ) throws -> Value {
        var (tries, pause) = (1, Self.firstPause)
        let end = ContinuousClock.now + Self.conflictTime
        while true {
            do {
                return try pool.withSession { try body(PostgreSQLConnection(session: $0)) }
            } catch let error as PostgreSQLError
                where error.canRunAgain && (error.code == .conflict ? .now < end : tries < Self.maxTries)
            {
                // Two that met do not meet again at the same moment.
                usleep(UInt32(pause * Double.random(in: 0.5...1) / .microseconds(1)))
                (tries, pause) = (tries + 1, min(pause * 3, Self.maxPause))
            } catch {
                throw StoreError.wrap(postgreSQL: error, operation)
            }
        }
    }

    /// Count of the transactions of the server that have ended, by all its clients: each commit raises it. A snapshot
    /// names the first that had not begun, and those before it that run
    /// (https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-INFO-SNAPSHOT).
    private static let endedCount = """
        SELECT CAST(CAST(pg_snapshot_xmax(now.value) AS text) AS bigint)
            - (SELECT count(*) FROM pg_snapshot_xip(now.value))
        FROM (SELECT pg_current_snapshot() AS value) AS now
        """

    /// A number that is another one after every commit.
    func version(_ operation: String) throws -> Int64 { try ask(operation) { try $0.value(Self.endedCount) ?? 0 } }

    /// Raises a signal with the commits of other processes. Returns nil when the system gives no thread.
    func listen(raising signal: Signal) -> PostgreSQLListener? {
        let listener = PostgreSQLListener(
            pool.settings, channel: PostgreSQLConnection.channel, raising: signal,
            onOutage: { [pool] in pool.note(outage: $0) }
        ) { session in
            try PostgreSQLConnection(session: session).value(Self.endedCount) ?? 0
        }
        return listener.start() ? listener : nil
    }

    /// Throws `notAStore` for a database without the tables of a store, `newerVersion` and `invalid` for those of
    /// another version.
    func checkSchema(_ operation: String) throws {
        let table = "SELECT 1 FROM pg_class WHERE oid = to_regclass('schema_step')"
        guard try ask(operation, { try $0.exists(table) }) else {
            throw StoreError(.notAStore, operation, "the database has no tables of a store")
        }
        let taken: Int = try ask(operation) { try $0.value("SELECT max(number) FROM schema_step") } ?? 0
        let known = Schema.migrations.steps.count
        guard taken <= known else {
            throw StoreError(.newerVersion, operation, "its rows are those of a later version of Fundmail")
        }
        guard taken == known else {
            throw StoreError(
                .invalid, operation,
                "its rows on the server are those of an older version of Fundmail: move them into the folder with that "
                    + "version (`fundmail migrate --to sqlite`), then bring them up to date with this one")
        }
    }

    /// Throws as `checkSchema`, and `notAStore` for the rows of another store than this one; nil is any.
    func checkStore(_ store: Int64?, _ operation: String) throws {
        try checkSchema(operation)
        guard let store else { return }
        let found = try ask(operation) { try StoreIdentity.of(.postgreSQL($0)) }
        guard found == store else {
            throw StoreError(.notAStore, operation, "the database has the rows of another store")
        }
    }

    /// Ends the connections. Closing twice is harmless.
    func close() { pool.close() }
}
