package import FundCore

/// Digests of news and of the desk, as time makes them due.
package struct SQLDigestStore: DigestRegister {
    /// Digests of one transaction: some milliseconds.
    private static let maxAtOnce = 200

    let connection: StoreConnection

    package func queueDigests(
        _ schedule: DigestSchedule, limits: OutboxLimits, now: Timestamp
    ) async throws -> [Digest.Kind] {
        let operation = "queue digests"
        return try await connection.queues.outbox.run { [connection] in
            // A transaction that writes wakes all who wait for changes.
            let isDue = try connection.read(operation) { db in
                var decision = DigestDecision(db: db, schedule: schedule, limits: limits, now: now)
                return try decision.isDue()
            }
            guard isDue else { return [] }
            return try connection.write(operation) { db in
                var decision = DigestDecision(db: db, schedule: schedule, limits: limits, now: now)
                return try decision.carryOut(atMost: Self.maxAtOnce)
            }
        }
    }

    package func digestCounts() async throws -> DigestCounts {
        try await connection.reading("count people who get digests") { db in
            var counts = DigestCounts()
            try db.forEach(
                "SELECT news, count(*) FROM \"user\" WHERE news IS NOT NULL AND is_disabled = 0 GROUP BY news"
            ) { row in
                if let pace = NewsPace(rawValue: row[0]) { counts.news[pace] = row[1] as Int }
                return true
            }
            counts.desk =
                try db.value(
                    """
                    SELECT count(*) FROM "user" WHERE desk_digest = 1 AND is_administrator = 1 AND is_disabled = 0
                    """) ?? 0
            return counts
        }
    }
}
