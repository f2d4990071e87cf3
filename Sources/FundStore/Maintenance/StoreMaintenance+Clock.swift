internal import FundCore

/// Guards retention against a wrong clock: one that jumps a year ahead makes everything look old.
extension StoreMaintenance {
    /// Less than a day, so that a run once a day, at times a little early, is enough.
    private static let trialPeriod = Duration.seconds(20 * 3600)
    /// Counters: the last look at the clock, and the first of the looks that follow each other.
    private static let (lastLook, firstLook) = ("clock_seen", "clock_since")
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
                (try Counter.value(Self.lastLook, db), try Counter.value(Self.firstLook, db))
                    as (Timestamp?, Timestamp?)
            }
            if let seen, let since, now >= since, now - seen <= longestGap {
                // Back by a little: what was seen stays the latest.
                if now - seen >= Self.shortestGap {
                    try connection.write("note the clock", .reserve) { try Counter.set(Self.lastLook, now, $0) }
                }
                return now - since >= Self.trialPeriod
            }
            try connection.write("note the clock", .reserve) { db in
                try Counter.set(Self.lastLook, now, db)
                try Counter.set(Self.firstLook, now, db)
                guard let seen else { return }
                try db.writeAudit(
                    .retention, of: "clock",
                    "it went from \(seen) to \(now) (seconds since 1970): nothing is removed for a day", by: "fundmail",
                    now: now)
            }
            return false
        }
    }
}
