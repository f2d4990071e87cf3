import FundCore

/// Rows of blobs that could not be read and are newer than the backup: an index knows their digests, and the log has
/// the rest. Of those that the backup has, some were removed since.
struct LostContents {
    let db: Database
    let losses: [TableLoss]
    let log: StoreLog
    let locations: RowLocations

    /// Gives how many rows were made again; nil where the index cannot be read or the log lacks one of them. To be
    /// called before items are settled.
    func remake() throws -> Int? {
        guard losses.concern("blob") else { return 0 }
        let known: [(Int64, ContentDigest)]? = try SoundDatabase.readable {
            let table = SQL.table("old.blob", using: SQL.constraintIndex(1, of: "blob"))
            return try db.rows("SELECT id, digest FROM \(table)") { ($0[0], try $0.digest(1)) }
        }
        guard let known else { return nil }
        var (made, isWhole) = (0, true)
        for (id, digest) in known where losses.contain(id, of: "blob") {
            guard try db.value("SELECT 1 FROM main.blob WHERE id = ?", [id]) == nil as Int64? else { continue }
            // A blob that was removed since the backup and came again has another id now.
            try db.execute(
                "DELETE FROM main.blob WHERE digest = ? AND id <> ? AND \(losses.contain(sql: "id", of: "blob"))",
                [digest, id])
            if digest == .of([]) {
                made += try db.execute(
                    "INSERT INTO main.blob (id, digest, size) VALUES (?, ?, 0) ON CONFLICT DO NOTHING", [id, digest])
            } else if let record = try locations.record(of: digest, .blob) {
                made += try db.execute(
                    """
                    INSERT INTO main.blob (id, digest, size, \(RecordLocation.columns))
                    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                    """, [id, digest, record.header.label.contentBytes] + record.location.arguments)
            } else {
                isWhole = false
            }
        }
        return isWhole ? made : nil
    }

    /// Drops rows that nothing refers to and whose records were given up: they were removed since the backup.
    func dropRemoved() throws {
        guard losses.concern("blob") else { return }
        let unused = try db.rows(
            """
            SELECT \(RecordRow.columns) FROM main.blob WHERE size > 0
                AND \(losses.contain(sql: "id", of: "blob"))
                AND NOT EXISTS (SELECT 1 FROM main.file WHERE blob_id = blob.id)
                AND NOT EXISTS (SELECT 1 FROM main.attachment WHERE blob_id = blob.id)
                AND NOT EXISTS (SELECT 1 FROM main.message_blob WHERE blob_id = blob.id)
                AND NOT EXISTS (SELECT 1 FROM main.letter_attachment WHERE blob_id = blob.id)
            """, as: RecordRow.init)
        for row in unused {
            guard let location = row.location else { continue }
            do { _ = try log.reader.record(at: location, of: row.digest) } catch is LogDamage {
                try db.execute("DELETE FROM main.blob WHERE id = ?", [row.id])
            }
        }
    }
}
