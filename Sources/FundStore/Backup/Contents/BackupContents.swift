import FundCore

/// The log as the rows of a database describe it: those of a store, or of a backup of one.
struct BackupContents: Sendable {
    /// One segment as the rows know it, in bytes.
    struct Segment: Hashable, Sendable {
        var end: Int64
        /// Bytes of all that was ever given up in it.
        var released: Int64
    }

    /// A backup's own name for the state that it holds; the store that it is of, and all that go on from it, know it.
    struct Token: Hashable, Sendable {
        /// Random: no other state has it.
        var code: Int64
        /// Number of the backup among those of the store.
        var number: Int64
        var at: Timestamp
    }

    /// The progress of a database.
    struct Progress: Hashable, Sendable {
        /// See `LogPosition`.
        var position: Int64 = 0
        /// The last entry of the audit trail. That a copy begins a history when it is opened, is not among them.
        var activity: Int64 = 0
    }

    var identity: Int64?
    /// Token of the latest backup; nil for a database that was never backed up since schema 6.
    var token: Token?
    var progress = Progress()
    /// The sum of all numbers that its tables and people's feeds have given: it grows with most other changes.
    var changes: Int64 = 0
    /// Segments that have needed bytes.
    var segments: [SegmentNumber: Segment] = [:]

    init(_ db: Database) throws {
        identity = try StoreIdentity.of(db)
        // A version before schema 6 knows no tokens.
        if try db.hasTable("backup_state") {
            token = try BackupTokens(db: db).latest(1).first
            progress = try Self.progress(db)
            changes = try db.lastNumbers().values.reduce(0, +)
            if try db.hasTable("feed") { changes += try db.value("SELECT sum(last) FROM feed") ?? 0 }
        }
        // Records that were released and are still on their way to a client have their bytes: these go later.
        let sql = """
            SELECT number, end_offset, released_bytes - (
                SELECT coalesce(sum(record_bytes), 0) FROM dead_record WHERE segment = number
            ) FROM segment WHERE end_offset > ? AND live_bytes > 0
            """
        for row in try db.rows(sql, [LogFormat.openingBytes]) {
            segments[row[0]] = Segment(end: row[1], released: row[2])
        }
    }

    /// Reads a database that nothing uses; nil when there is none.
    static func read(_ path: String) throws -> BackupContents? {
        guard DiskFile.size(of: path) != nil else { return nil }
        return try DatabaseFile.read(path, BackupContents.init)
    }

    static func progress(_ db: Database) throws -> Progress {
        Progress(position: try LogPosition.of(db), activity: try db.value("SELECT max(id) FROM audit") ?? 0)
    }
}

/// The states of a store that were copied into backups, within one transaction of the store.
struct BackupTokens {
    let db: Database

    /// Notes the token of a copy. To be called before the database is copied: the copy has the token, too.
    func add(_ code: Int64) throws {
        let progress = try BackupContents.progress(db)
        try db.execute(
            """
            INSERT INTO backup_state (number, token, at, position, activity)
            VALUES ((SELECT coalesce(max(number), 0) + 1 FROM backup_state), ?, ?, ?, ?)
            """, [code, Timestamp.now, progress.position, progress.activity])
    }

    /// Notes the progress of the copy with this token, which was made a little later.
    func note(_ code: Int64, _ progress: BackupContents.Progress) throws {
        try db.execute(
            "UPDATE backup_state SET position = ?, activity = ? WHERE token = ?",
            [progress.position, progress.activity, code])
    }

    /// Tokens of all copies, the latest first.
    func latest(_ count: Int = .max) throws -> [BackupContents.Token] {
        try db.rows("SELECT token, number, at FROM backup_state ORDER BY number DESC LIMIT ?", [count]) {
            BackupContents.Token(code: $0[0], number: $0[1], at: $0[2])
        }
    }

    /// Progress of the copy with this token; nil for one that this store does not go on from.
    func progress(of token: BackupContents.Token) throws -> BackupContents.Progress? {
        try db.row("SELECT position, activity FROM backup_state WHERE token = ?", [token.code]).map {
            BackupContents.Progress(position: $0[0], activity: $0[1])
        }
    }
}
