import FundCore

/// Rows of segments that could not be read, made anew of what stands in the log. Those of which rows name records have
/// theirs already (`RowLocations.countSegments`).
struct LostSegments {
    let log: StoreLog
    let db: Database

    /// Adds the rows. No such segment takes a further record; one that is ahead of the rows stays as it is until it is
    /// filed.
    func add() throws {
        let (position, store) = (try LogPosition.of(db), try StoreIdentity.mark(db))
        var last: Int64 = 0
        for number in try log.segments.segments() {
            last = max(last, Int64(number.value))
            guard let file = try? log.segments.read(number) else { continue }
            let mark = try file.commitMark(behind: 0)
            // A segment of another store is none of ours.
            guard try SegmentRows(db: db).hasRow(of: number) || mark?.store == store else { continue }
            try db.execute(
                """
                INSERT INTO segment (number, end_offset, is_sealed, released_bytes, salt) VALUES (?, ?, 1, 1, ?)
                ON CONFLICT DO NOTHING
                """, [number, LogFormat.openingBytes, file.hasProvenSalt ? Int64(bitPattern: file.salt) : nil])
            guard let mark else { continue }
            if mark.position > position {
                _ = try SegmentRows(db: db).leave(number)
            } else {
                try db.execute(
                    "UPDATE segment SET end_offset = \(SQL.greatest("end_offset", "?")) WHERE number = ?",
                    [mark.end, number])
            }
        }
        try db.raiseLastNumber(of: "segment", to: last)
    }
}
