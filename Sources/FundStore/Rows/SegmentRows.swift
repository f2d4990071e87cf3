import FundCore

/// Rows of the log's segments, within one write transaction.
struct SegmentRows {
    let db: Database

    func hasRow(of segment: SegmentNumber) throws -> Bool {
        try db.exists("SELECT 1 FROM segment WHERE number = ?", [segment])
    }

    /// A record gets a row in this transaction.
    func note(_ record: AppendedRecord) throws { try note([record], of: record.location.segment) }

    /// Records of one segment get rows in this transaction. Throws `stale` when one was given up since it was appended:
    /// it may have had a row, which a purge or another process took away.
    func note(_ records: [AppendedRecord], of segment: SegmentNumber) throws {
        guard let first = records.first else { return }
        let isUntouched: Bool? = try db.value(
            """
            SELECT released_bytes = 0 AND NOT EXISTS (SELECT 1 FROM dead_record WHERE segment = number)
            FROM segment WHERE number = ?
            """, [segment])
        guard let isUntouched else {
            throw StoreError(.stale, "note a record", "its segment was removed meanwhile")
        }
        let position = try LogPosition.advance(db)
        var (end, count, isFull) = (Int64(0), Int64(0), false)
        for record in records {
            let location = record.location
            if !isUntouched { try checkLive(record) }
            record.noteUse(at: position)
            end = max(end, location.end)
            count += location.count
            isFull = isFull || record.isLarge || location.end >= LogFormat.segmentBytes
        }
        try db.execute(
            """
            UPDATE segment SET end_offset = \(SQL.greatest("end_offset", "?")), live_bytes = live_bytes + ?,
                is_sealed = CASE WHEN ? = 1 THEN 1 ELSE is_sealed END, salt = ? WHERE number = ?
            """, [end, count, isFull, Int64(bitPattern: first.salt), segment])
    }

    private func checkLive(_ record: AppendedRecord) throws {
        let isDead = try db.exists(
            "SELECT 1 FROM dead_record WHERE segment = ? AND record_offset = ?",
            [record.location.segment, record.location.offset])
        guard !isDead, try record.isLive else {
            throw StoreError(.stale, "note a record", "it was given up meanwhile")
        }
    }

    /// A record has no row any more after this transaction: its bytes are to be given back to the disk, see
    /// `StoreLog.reclaim`.
    func release(_ location: RecordLocation, of digest: ContentDigest) throws {
        try forget(location)
        try discard(location, of: digest)
    }

    /// `release` for a record that never had a row.
    func discard(_ location: RecordLocation, of digest: ContentDigest) throws {
        // Nothing else may ever stand there.
        try db.execute(
            "UPDATE segment SET end_offset = \(SQL.greatest("end_offset", "?")) WHERE number = ?",
            [location.end, location.segment])
        try db.execute(
            """
            INSERT INTO dead_record (segment, record_offset, record_bytes, digest) VALUES (?, ?, ?, ?)
            ON CONFLICT DO NOTHING
            """, location.arguments + [digest])
    }

    /// A segment has committed records that the rows do not know: it is not appended to, cut, copied together or
    /// removed until they have rows. Gives whether that is new.
    func leave(_ number: SegmentNumber) throws -> Bool {
        try db.execute("UPDATE segment SET is_ahead = 1 WHERE number = ? AND is_ahead = 0", [number]) > 0
    }

    /// A segment whose file is of a later state of the database, which has no row of it: takes it in as one of
    /// which no record is known.
    func takeIn(_ number: SegmentNumber, salt: UInt64) throws {
        try db.execute(
            """
            INSERT INTO segment (number, end_offset, is_sealed, salt, is_ahead) VALUES (?, ?, 1, ?, 1)
            ON CONFLICT DO NOTHING
            """, [number, LogFormat.openingBytes, Int64(bitPattern: salt)])
    }

    /// A record is not needed any more.
    private func forget(_ location: RecordLocation) throws {
        try db.execute(
            "UPDATE segment SET live_bytes = live_bytes - ?1, released_bytes = released_bytes + ?1 WHERE number = ?2",
            [location.count, location.segment])
    }
}

extension RecordLocation {
    static let columns = "segment, record_offset, record_bytes"
    /// For `arguments`.
    static let assignments = "segment = ?, record_offset = ?, record_bytes = ?"
    /// Others are a database's damage.
    private static let offsets = Int64(LogFormat.openingBytes)...(1 << 34)
    private static let counts: ClosedRange<Int64> = 1...(LogFormat.maxBodyBytes * 2)

    /// Nil where the row has no record, or one that cannot be.
    init?(_ row: Row, at column: Int) {
        guard let number: SegmentNumber = row[column] else { return nil }
        let (offset, count): (Int64, Int64) = (row[column + 1], row[column + 2])
        guard Self.offsets.contains(offset), Self.counts.contains(count) else { return nil }
        self.init(segment: number, offset: offset, count: count)
    }

    var arguments: SQLArguments { [segment, offset, count] }
}
