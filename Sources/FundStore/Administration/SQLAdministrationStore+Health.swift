package import FundCore

extension SQLAdministrationStore: HealthRegister {
    package func note(_ sample: HealthSample, at time: Timestamp) async throws {
        try await connection.writing("note how the server is doing", .reserve) { db in
            for period in HealthPeriod.allCases {
                let start = period.slotStart(time)
                var sum = sample
                if let before = try Self.slot(of: period, at: start, db) { sum += before.sample }
                try Self.write(HealthSlot(start: start, sample: sum), of: period, db)
            }
        }
    }

    package func healthSlots(_ period: HealthPeriod, now: Timestamp) async throws -> [HealthSlot] {
        let range = period.range(now: now)
        return try await connection.reading("read how the server was doing") { db in
            try db.rows(
                "SELECT * FROM health WHERE width = ? AND began_at BETWEEN ? AND ? ORDER BY began_at",
                [period.slotSeconds, range.lowerBound, range.upperBound]
            ).map(HealthSlot.init(row:))
        }
    }

    /// The figures of exactly this time: the row of the slot may hold an older one, or a later one when the clock was
    /// set back.
    private static func slot(of period: HealthPeriod, at start: Timestamp, _ db: Database) throws -> HealthSlot? {
        try db.row(
            "SELECT * FROM health WHERE width = ? AND slot = ? AND began_at = ?",
            [period.slotSeconds, number(of: period, at: start), start]
        ).map(HealthSlot.init(row:))
    }

    private static func number(of period: HealthPeriod, at start: Timestamp) -> Int64 {
        let number = start.rawValue / period.slotSeconds % period.slotCount
        return number < 0 ? number + period.slotCount : number
    }

    private static let writeSQL: String = {
        let columns =
            ["width", "slot", "began_at"] + Outcome.allCases.map(\.rawValue) + [
                "failed", "to_row", "to_row_ms", "failed_runs", "server_errors", "refused_requests", "waiting", "lag",
            ]
        return """
            INSERT INTO health (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
            ON CONFLICT (width, slot) DO UPDATE SET
                \(columns.dropFirst(2).map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
            """
    }()

    private static func write(_ slot: HealthSlot, of period: HealthPeriod, _ db: Database) throws {
        let sample = slot.sample
        let milliseconds = Int64((sample.timeToRow.time.seconds * 1000).rounded())
        var values: SQLArguments = [period.slotSeconds, number(of: period, at: slot.start), slot.start]
        values += Outcome.allCases.map { sample.outcomes[$0] ?? 0 }
        values += [
            sample.failedMessages, sample.timeToRow.counts.map(String.init).joined(separator: ","), milliseconds,
            sample.failedRuns, sample.serverErrors, sample.refusedRequests, sample.waiting, sample.lagSeconds,
        ]
        try db.execute(writeSQL, values)
    }
}

extension HealthSlot {
    init(row: Row) {
        self.init(start: row["began_at"], sample: HealthSample())
        for outcome in Outcome.allCases {
            let count: Int = row[outcome.rawValue]
            if count > 0 { sample.outcomes[outcome] = count }
        }
        sample.failedMessages = row["failed"]
        let counts = (row["to_row"] as String).split(separator: ",").map { Int($0) ?? -1 }
        let time = Duration.milliseconds(row["to_row_ms"] as Int64)
        // Counts of a version with other bounds are left out.
        sample.timeToRow =
            DurationHistogram(sample.timeToRow.bounds, counts: counts, time: time) ?? sample.timeToRow
        sample.failedRuns = row["failed_runs"]
        sample.serverErrors = row["server_errors"]
        sample.refusedRequests = row["refused_requests"]
        sample.waiting = row["waiting"]
        sample.lagSeconds = row["lag"]
    }
}
