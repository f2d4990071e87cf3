internal import GRDB

/// How the connections to a store's database are set up.
enum DatabaseSettings {
    static let busyTimeoutMilliseconds = 10_000

    static func configuration(isReadOnly: Bool) -> Configuration {
        var configuration = Configuration()
        configuration.readonly = isReadOnly
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(Double(busyTimeoutMilliseconds) / 1000)
        // Half of them for users' readers (`ReaderShares`), so that logins, uploads and indexing never wait for those.
        configuration.maximumReaderCount = 8
        configuration.persistentReadOnlyConnections = true
        configuration.prepareDatabase { try $0.execute(sql: "PRAGMA cache_size = -4096") }
        return configuration
    }

    /// Sets up the writing connection after GRDB's own set-up, which sets `synchronous` to NORMAL: the last commits
    /// would be lost with the power.
    static func prepareWriter(_ db: Database) throws {
        try db.execute(sql: "PRAGMA synchronous = FULL")
        // 16 MiB: a checkpoint every few batches, each page written once however often it changed.
        try db.execute(sql: "PRAGMA wal_autocheckpoint = 4096")
        try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
        // Holds the index pages of 200,000 emails.
        try db.execute(sql: "PRAGMA cache_size = -32768")
    }

    /// Moves the pages of the write-ahead log into the database and cuts the log off, as far as readers allow within
    /// `milliseconds`.
    static func truncateLog(_ db: Database, waitingUpTo milliseconds: Int) {
        try? db.execute(sql: "PRAGMA busy_timeout = \(milliseconds)")
        _ = try? Row.fetchAll(db, sql: "PRAGMA wal_checkpoint(TRUNCATE)")
        try? db.execute(sql: "PRAGMA busy_timeout = \(busyTimeoutMilliseconds)")
    }

    /// What SQLite finds wrong with the file, one text each, and the rows that refer to missing ones.
    static func problems(_ db: Database) throws -> (integrity: [String], references: [String]) {
        (
            try String.fetchAll(db, sql: "PRAGMA integrity_check").filter { $0 != "ok" },
            try Row.fetchAll(db, sql: "PRAGMA foreign_key_check").map(\.description)
        )
    }
}
