internal import Glibc
import FundCore
import PostgreSQLRoom

/// The tasks that one process at a time does on a store, a lease for each, as rows of the database: for processes on
/// several machines, as `Leases` has them for those on one.
///
/// Each holder has a token that is higher than that of all before it. A holder that was stopped, or cut off, and goes
/// on later may take itself for the holder until its clock tells; but its token is not that of the row any more, and a
/// transaction under its lease does not commit (`RowLease.confirm`).
struct RowLeases: Sendable {
    /// Pause between two tries for a lease that another holder has.
    private static let tryPause = Duration.milliseconds(250)
    /// The time in which a run of a mailbox ends that is ending now.
    private static let mailboxWait = Duration.milliseconds(500)
    /// Number of the lock of the database under which the table is made: two processes may begin at once.
    private static let schemaLock = 1_718_970_981

    /// Connections of their own: renewals wait for no other work.
    let rows: PostgreSQLRows
    let timing: LeaseTiming

    init(_ settings: PostgreSQLSettings, timing: LeaseTiming = LeaseTiming()) {
        var settings = settings
        // A transaction under the lease holds its row: a renewal that waits for it is tried again soon.
        settings.timeouts.lock = min(settings.timeouts.lock, timing.margin)
        settings.timeouts.statement = min(settings.timeouts.statement, timing.margin)
        rows = PostgreSQLRows(settings, size: 2)
        self.timing = timing
    }

    /// Makes the table where there is none.
    func prepare() throws {
        try rows.write("prepare leases", .readCommitted) { db in
            try db.execute("SELECT pg_advisory_xact_lock(?)", [Self.schemaLock])
            try db.run(
                script: """
                    CREATE TABLE IF NOT EXISTS lease (
                        task text COLLATE "C" PRIMARY KEY,
                        token bigint NOT NULL,
                        holder text NOT NULL,
                        began_at timestamptz NOT NULL,
                        ends_at timestamptz NOT NULL
                    )
                    """)
        }
    }

    /// Takes a lease; nil when another holder still has it at the end of `wait`. Blocks.
    ///
    /// - Parameter holder: the command, and where it runs, for people.
    func take(_ task: Leases.Task, for holder: String, waitingUpTo wait: Duration) throws -> RowLease? {
        let end = ContinuousClock.now + wait
        while true {
            if let lease = try tryTaking(task, holder) { return lease }
            guard .now < end else { return nil }
            usleep(UInt32(min(Self.tryPause, max(.zero, end - .now)) / .microseconds(1)))
        }
    }

    /// Takes the lease of a mailbox. Throws `held`, naming the holder.
    func take(mailbox: String, for holder: String) throws -> RowLease {
        if let lease = try take(.mailbox(mailbox), for: holder, waitingUpTo: Self.mailboxWait) { return lease }
        let found = try rows.ask("read a lease") { db in
            let sql = "SELECT holder, to_char(began_at, 'YYYY-MM-DD HH24:MI') FROM lease WHERE task = ?"
            return try db.rows(sql, [Leases.Task.mailbox(mailbox).key]) { row in
                "the mailbox \(mailbox) is held by `fundmail \(row[0] as String)` since \(row[1] as String) UTC"
            }.first
        }
        throw StoreError(
            .held, "use the mailbox \(mailbox)", found ?? "another process has the mailbox \(mailbox)")
    }

    /// Takes a lease that is free or past its end, with a token one above the last.
    private func tryTaking(_ task: Leases.Task, _ holder: String) throws -> RowLease? {
        // The own clock begins before that of the database.
        let start = ContinuousClock.now
        let token: Int64? = try rows.write("take a lease", .readCommitted) { db in
            try db.value(
                """
                INSERT INTO lease (task, token, holder, began_at, ends_at)
                VALUES (?1, 1, ?2, clock_timestamp(), clock_timestamp() + ?3 * interval '1 millisecond')
                ON CONFLICT (task) DO UPDATE SET token = lease.token + 1, holder = excluded.holder,
                    began_at = clock_timestamp(), ends_at = clock_timestamp() + ?3 * interval '1 millisecond'
                WHERE lease.ends_at <= clock_timestamp()
                RETURNING token
                """, [task.key, holder, timing.length.milliseconds])
        }
        return token.map { RowLease(task.key, token: $0, in: rows, timing, from: start) }
    }
}

extension Leases.Task {
    /// The key of the task's row.
    var key: String {
        switch self {
        case .mailbox(let name): "mailbox:\(name)"
        case .reclaim: "reclaim"
        case .previews: "previews"
        case .outbox: "outbox"
        case .news: "news"
        case .drives: "drives"
        case .driveTokens(let drive): "drive:\(drive)"
        case .bucket: "bucket"
        case .webhooks: "webhooks"
        }
    }
}
