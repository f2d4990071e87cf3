import FundCore

/// Rows of blobs within one write transaction.
struct BlobRows {
    typealias ID = FundCore.ID<BlobRows>

    let db: Database
    /// Takes the records that get rows; without it each is noted at once.
    var batch: BatchNotes?

    /// The record of a known blob whose place another takes.
    enum Replacement {
        case nothing
        /// The one that was seen to be damaged. When the row has another by now, that stays.
        case record(RecordLocation)
        case anything
    }

    /// Makes the row when there is none, of the record that was appended for it. Throws `stale` when none was, or when
    /// it was given up since: a purge may have taken the row away since it was looked for. Everything must be appended
    /// anew.
    func id(
        of digest: ContentDigest, size: Int64, _ record: AppendedRecord?, replacing replacement: Replacement = .nothing
    ) throws -> ID {
        if let id: ID = try db.value("SELECT id FROM blob WHERE digest = ?", [digest]) {
            if let record { try replace(replacement, of: digest, with: record) }
            return id
        }
        guard size > 0 else { return try db.insert("INSERT INTO blob (digest, size) VALUES (?, 0)", [digest]) }
        guard let record else {
            throw StoreError(.stale, "store a blob", "its bytes were removed meanwhile")
        }
        try note(record)
        return try db.insert(
            "INSERT INTO blob (digest, size, \(RecordLocation.columns)) VALUES (?, ?, ?, ?, ?)",
            [digest, size] + record.location.arguments)
    }

    /// The bytes of a blob were appended again: where it is known, they are read there from now on.
    func replace(_ replacement: Replacement, of digest: ContentDigest, with record: AppendedRecord) throws {
        guard let old = try RecordHeader.Kind.blob.location(of: digest, db), old != record.location else { return }
        switch replacement {
        case .nothing: return
        case .record(let seen): guard seen == old else { return }
        case .anything: break
        }
        try note(record)
        try SegmentRows(db: db).release(old, of: digest)
        try RecordHeader.Kind.blob.move(digest, to: record.location, db)
    }

    private func note(_ record: AppendedRecord) throws {
        if let batch { batch.note(record) } else { try SegmentRows(db: db).note(record) }
    }

    /// Removes the rows of those to which no file, no attachment, no raw message and no letter refers any more, and
    /// gives up their records. Returns the sizes of their contents.
    func dropUnused(_ ids: some Sequence<ID>) throws -> [Int64] {
        try ids.compactMap { id in
            let row = try db.row(
                """
                DELETE FROM blob WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM file WHERE blob_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM attachment WHERE blob_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM message_blob WHERE blob_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM letter_attachment WHERE blob_id = ?1)
                RETURNING digest, size, \(RecordLocation.columns)
                """, [id])
            guard let row else { return nil }
            if let location = RecordLocation(row, at: 2) {
                try SegmentRows(db: db).release(location, of: try row.digest(0))
            }
            return row[1]
        }
    }
}
