internal import GRDB
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
    static func run(_ pool: DatabasePool, _ layout: StoreLayout) throws {
        guard try pool.read({ try counter(name, $0) }) ?? 0 < FingerprintRevision.present else { return }
        var last = try pool.read { try counter(progress, $0) } ?? 0
        while let next = try update(pool, layout, after: last) { last = next }
        try pool.write { db in
            try set(name, Int64(FingerprintRevision.present), db)
            try db.execute(sql: "DELETE FROM counter WHERE name = ?", arguments: [progress])
        }
    }

    private static func counter(_ name: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(db, sql: "SELECT value FROM counter WHERE name = ?", arguments: [name])
    }

    private static func set(_ name: String, _ value: Int64, _ db: Database) throws {
        try db.execute(sql: "INSERT OR REPLACE INTO counter VALUES (?, ?)", arguments: [name, value])
    }

    /// Returns the last row that it looked at; nil when there was none.
    private static func update(_ pool: DatabasePool, _ layout: StoreLayout, after last: Int64) throws -> Int64? {
        let rows = try pool.read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT id, digest FROM message WHERE id > ? AND raw_dropped_at IS NULL ORDER BY id LIMIT ?",
                arguments: [last, batch])
        }
        var changed: [(id: Int64, fingerprint: ContentDigest)] = []
        for row in rows {
            // One that is missing or cannot be read is for `verify` to report.
            let path = layout.raw(try ContentDigest(column: row[1]))
            if let fingerprint = try? FingerprintRevision.changed(inFile: path) {
                changed.append((row[0], fingerprint))
            }
        }
        guard let last: Int64 = rows.last?[0] else { return nil }
        try pool.write { db in
            for (id, fingerprint) in changed {
                try db.execute(
                    sql: "UPDATE message SET fingerprint = ? WHERE id = ?", arguments: [fingerprint.column, id])
                // Two copies that were both filed: the first has it already, the second keeps what it has.
                try db.execute(
                    sql: "UPDATE OR IGNORE email SET fingerprint = ? WHERE message_id = ?",
                    arguments: [fingerprint.column, id])
            }
            try set(progress, last, db)
        }
        return last
    }
}
