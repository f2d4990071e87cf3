internal import FundCore
internal import GRDB

/// Guards retention against a wrong clock: one that jumps a year ahead makes everything look old.
extension StoreMaintenance {
    /// Less than a day, so that a run once a day, at times a little early, is enough.
    private static let trialPeriod = Duration.seconds(20 * 3600)
    /// The time between two notes of the time.
    private static let shortestGap = Duration.seconds(3600)

    /// Nothing may be removed by age until calls at most `longestGap` apart have seen the clock for 20 hours; a
    /// longer gap, or a clock that went back before the first of these calls, begins the 20 hours anew. Every run that
    /// may remove something calls this.
    package func isClockSteady(longestGap: Duration) async throws -> Bool {
        try await isClockSteady(longestGap: longestGap, now: .now)
    }

    func isClockSteady(longestGap: Duration, now: Timestamp) async throws -> Bool {
        try await connection.queues.shared.run { [self] in
            let (seen, since) = try connection.read("look at the clock") { db in
                (try ClockRows.value(db, .seen), try ClockRows.value(db, .since))
            }
            if let seen, let since, now >= since, now - seen <= longestGap {
                // Back by a little: what was seen stays the latest.
                if now - seen >= Self.shortestGap {
                    try connection.write("note the clock", .reserve) { try ClockRows.set($0, .seen, now) }
                }
                return now - since >= Self.trialPeriod
            }
            try connection.write("note the clock", .reserve) { db in
                try ClockRows.set(db, .seen, now)
                try ClockRows.set(db, .since, now)
                guard let seen else { return }
                try Audit.write(
                    db, actor: "fundmail", action: "retention", subject: "clock",
                    detail: "it went from \(seen) to \(now) (seconds since 1970): nothing is removed for a day",
                    now: now)
            }
            return false
        }
    }
}

/// What was seen of the clock.
private enum ClockRows {
    enum Name: String {
        /// The last look.
        case seen = "clock_seen"
        /// The first of the looks that follow each other.
        case since = "clock_since"
    }

    static func value(_ db: Database, _ name: Name) throws -> Timestamp? {
        try Timestamp.fetchOne(db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [name.rawValue])
    }

    static func set(_ db: Database, _ name: Name, _ value: Timestamp) throws {
        try db.execute(
            sql: """
                INSERT INTO counter (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value
                """, arguments: [name.rawValue, value])
    }
}
