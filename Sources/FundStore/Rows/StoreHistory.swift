import FundCore

/// The history of a store. One that goes on from an earlier state of itself (a backup that was restored, a database
/// that is older than its log) has another history from then on: what clients know of the time after that state, by ids
/// and cursors, does not hold there.
enum StoreHistory {
    private static let name = "history"
    /// Counter that stands in the copies which a backup makes, until a process opens one to write.
    private static let copyMark = "is_copy"
    /// Ids that a new history passes over: more than are given between a backup and its restoration, so that no id
    /// means two things.
    static let passedIDs: Int64 = 1_000_000

    static func give(_ db: Database) throws { try Counter.set(name, Int64.random(in: 1 ... .max), db) }

    static func current(_ db: Database) throws -> HistoryID {
        HistoryID(rawValue: try Counter.value(name, db) ?? 0)
    }

    static func markCopy(_ db: Database) throws { try Counter.set(copyMark, Int64(1), db) }

    static func isCopy(_ db: Database) throws -> Bool { try Counter.value(copyMark, db) == Int64(1) }

    /// Begins a history where the rows are those of a copy.
    static func beginIfCopy(_ db: Database) throws {
        guard try isCopy(db) else { return }
        try begin(db)
    }

    /// Begins a history: the rows are of an earlier state of the store than what clients know.
    static func begin(_ db: Database) throws {
        try give(db)
        try db.execute("DELETE FROM counter WHERE name = ?", [copyMark])
        try passIDs(db)
        try OutboxRows(db: db, now: .now).doubtWaiting()
        try DigestRows(db: db).beginAnew(now: .now)
        try ShareLinkRows.revokeAll(db)
        try ChangeEpochs.begin(db, refusingOlder: true)
    }

    /// Passes over the ids that may have been given to rows that are lost: else a row that comes later would be taken
    /// for one of these, as by what deletes them for good.
    static func passIDs(_ db: Database) throws {
        for table in RowNumbers.Table.allCases { try RowNumbers.pass(passedIDs, of: table, db) }
        // Links are among them: a browser that opened one that is lost has a cookie for its number.
        for table: StaticString in ["outbox", "digest", "letter", "share_link", "contact"] {
            try db.raiseLastNumber(of: table, to: db.lastNumber(of: table) + passedIDs)
        }
    }
}
