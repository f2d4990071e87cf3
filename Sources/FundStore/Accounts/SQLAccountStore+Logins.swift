package import FundCore

extension SQLAccountStore {
    package func loginHistory(of place: LoginPlace, at now: Timestamp) async throws -> LoginHistory {
        let since = now - LoginHistory.failureMemory
        return try await connection.reading("look at failed logins") { db in
            func failures(_ condition: String, _ arguments: SQLArguments) throws -> LoginFailures {
                try db.row(
                    """
                    SELECT coalesce(sum(failures), 0), max(failed_at) FROM login
                    WHERE failures > 0 AND \(condition) AND failed_at >= ?
                    """, arguments + [since]
                ).map { LoginFailures(count: $0[0], lastAt: $0[1]) } ?? LoginFailures()
            }
            var history = LoginHistory()
            history.pair = try failures("name = ? AND address = ?", [place.name, place.address])
            history.address = try failures("address = ?", [place.address])
            history.name = try failures("name = ?", [place.name])
            let succeededAt: Timestamp? = try db.value(
                "SELECT succeeded_at FROM login WHERE name = ? AND address = ?", [place.name, place.address])
            history.isFamiliar = succeededAt.map { $0.rawValue > 0 && $0 >= now - LoginHistory.successMemory } ?? false
            return history
        }
    }

    package func noteLogin(from place: LoginPlace, succeeded: Bool, at time: Timestamp) async throws {
        try await connection.writing("note a login", .reserve) { db in
            if succeeded {
                try db.execute(
                    """
                    INSERT INTO login VALUES (?, ?, 0, 0, ?, ?) ON CONFLICT (name, address) DO UPDATE SET failures = 0,
                        failed_at = 0, succeeded_at = excluded.succeeded_at, forget_at = excluded.forget_at
                    """, [place.name, place.address, time, time + LoginHistory.successMemory])
            } else {
                try db.execute(
                    """
                    INSERT INTO login VALUES (?, ?, 1, ?, 0, ?) ON CONFLICT (name, address) DO UPDATE SET
                        failures = CASE WHEN login.failed_at < ? THEN 1 ELSE login.failures + 1 END,
                        failed_at = excluded.failed_at,
                        forget_at = CASE WHEN login.forget_at > excluded.forget_at THEN login.forget_at
                            ELSE excluded.forget_at END
                    """,
                    [
                        place.name, place.address, time, time + LoginHistory.failureMemory,
                        time - LoginHistory.failureMemory,
                    ])
            }
            try db.execute("DELETE FROM login WHERE forget_at < ?", [time])
        }
    }
}
