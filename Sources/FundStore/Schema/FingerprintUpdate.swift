import FundCore

/// Recomputes the fingerprints of an older store, so that another copy of a message that was filed before is
/// recognised. Only messages with a header field that the first revision did not leave out change; the headers are read
/// from the beginning of each raw file.
enum FingerprintUpdate {
    private static let name = "fingerprint"
    /// The last row that was looked at, while this goes on.
    private static let progress = "fingerprint_row_\(FingerprintRevision.present)"
    private static let batch = 1000

    /// Does nothing when the store is up to date. When it is interrupted, the next opening goes on where it was: a
    /// service manager may lose its patience more than once.
    static func run(_ pool: ConnectionPool, _ layout: StoreLayout) throws {
        let (revision, start): (Int?, Int64?) = try pool.read { db in
            (try Counter.value(name, db), try Counter.value(progress, db))
        }
        guard revision ?? 0 < FingerprintRevision.present else { return }
        var last = start ?? 0
        while let next = try update(pool, layout, after: last) { last = next }
        try pool.write { db in
            try Counter.set(name, FingerprintRevision.present, db)
            try db.execute("DELETE FROM counter WHERE name = ?", [progress])
        }
    }

    /// Returns the last row that it looked at; nil when there was none.
    private static func update(_ pool: ConnectionPool, _ layout: StoreLayout, after last: Int64) throws -> Int64? {
        let rows = try pool.read { db in
            try db.rows(
                "SELECT id, digest FROM message WHERE id > ? AND raw_dropped_at IS NULL ORDER BY id LIMIT ?",
                [last, batch])
        }
        var changed: [(id: MessageRows.ID, fingerprint: ContentDigest)] = []
        for row in rows {
            let path = layout.raw(try row.digest(1))
            // One that is missing or cannot be read is for `verify` to report.
            if let fingerprint = try? FingerprintRevision.changed(inFile: path) {
                changed.append((row[0], fingerprint))
            }
        }
        guard let last: Int64 = rows.last?[0] else { return nil }
        try pool.write { db in
            for (id, fingerprint) in changed {
                try db.execute("UPDATE message SET fingerprint = ? WHERE id = ?", [fingerprint, id])
                // Two copies that were both filed: the first has it already, the second keeps what it has. OR IGNORE
                // holds in the trigger, too, so that the feed of changes tells nothing of this.
                try db.execute("UPDATE OR IGNORE email SET fingerprint = ? WHERE message_id = ?", [fingerprint, id])
            }
            try Counter.set(progress, last, db)
        }
        return last
    }
}
