import FundCore

/// Settles what is damaged in a segment where nothing is lost by it.
struct SegmentRepair {
    enum End: Equatable {
        case settled
        /// Rows name records there: their count.
        case needed(Int)
        /// A process appends to the segment.
        case inUse
    }

    let log: StoreLog

    /// Has a record say again that it is needed, after its content was compared. False where it is not needed any more.
    /// Throws `held` while a process gives bytes back to the disk or a backup is made.
    func renewState(of record: LogRecord, ifNeeded isNeeded: () throws -> Bool) throws -> Bool {
        // Who gives it up from now on marks it only when this is done.
        try log.withoutReclaim {
            guard try isNeeded() else { return false }
            return try SegmentFile.write(record.segment.number, in: log.directory)
                .markLive(record.location, of: record.header.label.digest)
        }
    }

    /// Has a segment end at `size` from now on, or where the last record before it ends, unless rows name records that
    /// stood there. It takes no further record.
    func forgetEnd(of number: SegmentNumber, from size: Int64) throws -> End {
        // Held, so that no process appends meanwhile. One with damaged first bytes is appended to by none.
        let file = try SegmentFile.holdForRepair(number, in: log.directory)
        guard let file else { return .inUse }
        return try withExtendedLifetime(file) {
            try log.connection.write("settle the end of a segment", .reserve) { db in
                let needed =
                    try db.value(
                        """
                        SELECT count(*) FROM (\(RecordLocation.ofRows))
                        WHERE segment = ? AND record_offset + record_bytes > ?
                        """, [number, size]) ?? 0
                guard needed == 0 else { return .needed(needed) }
                try db.execute(
                    "DELETE FROM dead_record WHERE segment = ? AND record_offset + record_bytes > ?", [number, size])
                try db.execute(
                    "UPDATE segment SET end_offset = \(SQL.least("end_offset", "?")), is_sealed = 1 WHERE number = ?",
                    [size, number])
                return .settled
            }
        }
    }
}
