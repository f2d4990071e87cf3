internal import GRDB
package import FundCore

extension SQLiteMailStore: MailboxRegister {
    @discardableResult
    package func openMailbox(_ name: String, at address: String) async throws -> Bool {
        let (name, address) = (name.cleaned, address.cleaned)
        return try await connection.queues.shared.run { [connection] in
            if try connection.read("read the mailbox \(name)", { try MailboxRows(db: $0).address(of: name) }) == address
            {
                return false
            }
            return try connection.write("open the mailbox \(name)", .reserve) { db in
                try MailboxRows(db: db).open(name, at: address, now: Timestamp.now)
            }
        }
    }

    package func note(_ run: MailboxRun, of mailbox: String) async throws {
        try await connection.writing("note a run of \(mailbox)", .reserve) {
            try MailboxRows(db: $0).add(run, to: mailbox.cleaned)
        }
    }

    package func mailboxStates() async throws -> [MailboxState] {
        try await connection.reading("list mailboxes") { db in
            try Row.fetchAll(db, sql: "SELECT * FROM mailbox ORDER BY name").map(MailboxState.init(row:))
        }
    }
}

/// Writes the state of mailboxes within one transaction.
struct MailboxRows {
    let db: Database

    func address(of name: String) throws -> String? {
        try String.fetchOne(db, sql: "SELECT address FROM mailbox WHERE name = ?", arguments: [name])
    }

    /// True when it stood elsewhere before.
    func open(_ name: String, at address: String, now: Timestamp) throws -> Bool {
        let old = try self.address(of: name)
        guard old != address else { return false }
        try db.execute(
            sql: """
                INSERT INTO mailbox (name, address) VALUES (?, ?)
                ON CONFLICT (name) DO UPDATE SET address = excluded.address, waiting = 0, oldest_waiting_at = NULL
                """, arguments: [name, address])
        guard let old else { return false }
        try db.execute(
            sql: "UPDATE delivery SET departed_at = ? WHERE mailbox = ? AND departed_at IS NULL",
            arguments: [now, name])
        try Audit.write(
            db, actor: "fundmail", action: "mailbox.move", subject: name,
            detail: "from \(old) to \(address); \(db.changesCount) deliveries departed", now: now)
        return true
    }

    func add(_ run: MailboxRun, to name: String) throws {
        let counts = Outcome.allCases.map { run.outcomes[$0] ?? 0 }
        let ended = run.startedAt + .seconds(Int64(run.seconds.rounded()))
        try db.execute(sql: "INSERT INTO mailbox (name) VALUES (?) ON CONFLICT DO NOTHING", arguments: [name])
        try db.execute(
            sql: """
                UPDATE mailbox SET last_attempt_at = ?, waiting = ?, oldest_waiting_at = ?, runs = runs + 1,
                    failed = failed + ?, bytes = bytes + ?,
                    \(Outcome.allCases.map { "\($0.rawValue) = \($0.rawValue) + ?" }.joined(separator: ", "))
                WHERE name = ?
                """,
            arguments: [run.startedAt, run.waiting, run.oldestWaitingAt, run.failed, run.bytes]
                + StatementArguments(counts) + [name])
        if let problem = run.problem {
            try db.execute(
                sql: """
                    UPDATE mailbox SET last_error_at = ?, last_error = ?,
                        consecutive_failures = consecutive_failures + 1 WHERE name = ?
                    """, arguments: [ended, problem.cleaned, name])
        } else {
            try db.execute(
                sql: "UPDATE mailbox SET last_success_at = ?, consecutive_failures = 0 WHERE name = ?",
                arguments: [ended, name])
        }
    }
}

extension MailboxState {
    init(row: Row) {
        self.init(name: row["name"])
        address = row["address"]
        lastAttemptAt = row["last_attempt_at"]
        lastSuccessAt = row["last_success_at"]
        lastErrorAt = row["last_error_at"]
        lastError = row["last_error"]
        consecutiveFailures = row["consecutive_failures"]
        waiting = row["waiting"]
        oldestWaitingAt = row["oldest_waiting_at"]
        for outcome in Outcome.allCases {
            let count: Int = row[outcome.rawValue]
            if count > 0 { totals[outcome] = count }
        }
        failedMessages = row["failed"]
        bytes = row["bytes"]
        runs = row["runs"]
    }
}
