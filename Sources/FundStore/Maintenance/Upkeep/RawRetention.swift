import FundCore

/// Raw messages that a retention run dropped, and their bytes.
package struct RetentionReport: Sendable, Hashable {
    package var rawMessages = 0
    package var bytes: Int64 = 0
}

/// Drops raw messages of filed mail, within one write transaction.
struct RawRetention {
    let db: Database
    let now: Timestamp

    /// - Parameter days: for the audit trail.
    func drop(filedBefore limit: Timestamp, days: Int) throws -> RetentionReport {
        let rows = try db.rows(
            """
            SELECT id, digest, size, \(RecordLocation.columns) FROM message WHERE outcome = 'filed'
                AND raw_dropped_at IS NULL AND id IN (SELECT message_id FROM email WHERE received_at < ?)
            """, [limit])
        var report = RetentionReport()
        for row in rows {
            let id: MessageRows.ID = row[0]
            if let location = RecordLocation(row, at: 3) {
                try SegmentRows(db: db).release(location, of: try row.digest(1))
            }
            try MessageRows.drop(id, at: now, db)
            let blobs: [BlobRows.ID] = try db.values("SELECT blob_id FROM message_blob WHERE message_id = ?", [id])
            try db.execute("DELETE FROM message_blob WHERE message_id = ?", [id])
            _ = try BlobRows(db: db).dropUnused(blobs)
            report.rawMessages += 1
            report.bytes += row[2]
        }
        if !rows.isEmpty {
            try db.writeAudit(.retention, of: "raw messages", "\(rows.count) older than \(days) days", by: "fundmail")
        }
        return report
    }
}
