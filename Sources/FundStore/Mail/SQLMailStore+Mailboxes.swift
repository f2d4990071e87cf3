package import FundCore

extension SQLMailStore: MailboxRegister {
    package func lease(_ name: String, to holder: String) async throws -> any MailboxLease {
        try await connection.queues.shared.run { [connection] in
            try StoreError.wrapping("use the mailbox \(name)") {
                try connection.leases.take(mailbox: name, for: holder)
            }
        }
    }

    @discardableResult
    package func openMailbox(_ name: String, at address: String) async throws -> Bool {
        let address = address.cleaned
        return try await connection.queues.shared.run { [connection] in
            func known(_ db: Database) throws -> String? {
                try db.value("SELECT address FROM mailbox WHERE name = ?", [name])
            }
            guard try connection.read("read the mailbox \(name)", known) != address else { return false }
            return try connection.write("open the mailbox \(name)", .reserve) { db in
                let old = try known(db)
                guard old != address else { return false }
                try db.execute(
                    """
                    INSERT INTO mailbox (name, address) VALUES (?, ?)
                    ON CONFLICT (name) DO UPDATE SET address = excluded.address, waiting = 0, oldest_waiting_at = NULL
                    """, [name, address])
                guard let old else { return false }
                let departed = try db.execute(
                    "UPDATE delivery SET departed_at = ? WHERE mailbox = ? AND departed_at IS NULL",
                    [Timestamp.now, name])
                try db.writeAudit(
                    .mailboxMove, of: name, "from \(old) to \(address); \(departed) deliveries departed",
                    by: "fundmail")
                return true
            }
        }
    }

    package func note(_ run: MailboxRun, of mailbox: String) async throws {
        let counts = Outcome.allCases.map { run.outcomes[$0] ?? 0 }
        let ended = run.startedAt + .seconds(Int64(run.seconds.rounded()))
        noteStatistics { statistics in
            statistics.runs.note(.seconds(run.seconds))
            statistics.failedMessages += run.failed
            if run.problem != nil { statistics.failedRuns += 1 }
        }
        try await connection.writing("note a run of \(mailbox)", .reserve) { db in
            try db.execute("INSERT INTO mailbox (name) VALUES (?) ON CONFLICT DO NOTHING", [mailbox])
            try db.execute(
                """
                UPDATE mailbox SET last_attempt_at = ?, waiting = ?, oldest_waiting_at = ?, runs = runs + 1,
                    failed = failed + ?, bytes = bytes + ?,
                    \(Outcome.allCases.map { "\($0.rawValue) = \($0.rawValue) + ?" }.joined(separator: ", "))
                WHERE name = ?
                """,
                [run.startedAt, run.waiting, run.oldestWaitingAt, run.failed, run.bytes] + counts + [mailbox])
            if let problem = run.problem {
                try db.execute(
                    """
                    UPDATE mailbox SET last_error_at = ?, last_error = ?, failing_since = coalesce(failing_since, ?),
                        consecutive_failures = consecutive_failures + 1 WHERE name = ?
                    """, [ended, problem, ended, mailbox])
            } else {
                try db.execute(
                    """
                    UPDATE mailbox SET last_success_at = ?, consecutive_failures = 0, failing_since = NULL
                    WHERE name = ?
                    """, [ended, mailbox])
            }
        }
    }

    package func mailboxStates() async throws -> [MailboxState] {
        try await connection.reading("list mailboxes") { db in
            try db.rows("SELECT * FROM mailbox ORDER BY name").map(MailboxState.init(row:))
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
        failingSince = row["failing_since"]
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
