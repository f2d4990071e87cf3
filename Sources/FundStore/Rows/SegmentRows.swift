import FundCore

/// Rows of the log's segments, within one write transaction.
struct SegmentRows {
    let db: Database

    /// A record gets a row in this transaction.
    func note(_ record: AppendedRecord) throws {
        let location = record.location
        // It may have had a row since it was appended, which a purge or another process took away.
        let isDead =
            try db.value(
                "SELECT EXISTS (SELECT 1 FROM dead_record WHERE segment = ? AND record_offset = ?)",
                [location.segment, location.offset]) ?? false
        guard !isDead, try record.isLive else {
            throw StoreError(.stale, "note a record", "it was given up meanwhile")
        }
        record.noteUse()
        let isFull = record.isLarge || location.end >= LogFormat.segmentBytes
        let isThere = try db.execute(
            """
            UPDATE segment SET end_offset = max(end_offset, ?), live_bytes = live_bytes + ?,
                is_sealed = is_sealed OR ?, salt = ? WHERE number = ?
            """, [location.end, location.count, isFull, Int64(bitPattern: record.salt), location.segment])
        guard isThere > 0 else { throw StoreError(.stale, "note a record", "its segment was removed meanwhile") }
    }

    /// A record has no row any more after this transaction: its bytes are to be given back to the disk, see
    /// `StoreLog.reclaim`.
    func release(_ location: RecordLocation, of digest: ContentDigest) throws {
        try forget(location)
        try discard(location, of: digest)
    }

    /// The same of a record that never had a row.
    func discard(_ location: RecordLocation, of digest: ContentDigest) throws {
        // Nothing else may ever stand there.
        try db.execute(
            "UPDATE segment SET end_offset = max(end_offset, ?) WHERE number = ?", [location.end, location.segment])
        try db.execute(
            "INSERT OR IGNORE INTO dead_record (segment, record_offset, record_bytes, digest) VALUES (?, ?, ?, ?)",
            location.arguments + [digest])
    }

    /// A record is not needed any more.
    private func forget(_ location: RecordLocation) throws {
        try db.execute(
            "UPDATE segment SET live_bytes = live_bytes - ?1, released_bytes = released_bytes + ?1 WHERE number = ?2",
            [location.count, location.segment])
    }
}

/// Columns `segment, record_offset, record_bytes`.
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
