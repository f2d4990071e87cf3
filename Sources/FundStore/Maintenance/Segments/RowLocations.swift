import FundCore

/// Places of contents in the log, found by what stands there, for rows that cannot be believed.
final class RowLocations {
    private let log: StoreLog
    private let db: Database
    private struct Key: Hashable {
        var kind: RecordHeader.Kind
        var digest: ContentDigest
    }
    /// Live records of the whole log, once one is asked for.
    private var known: [Key: RecordLocation]?

    init(log: StoreLog, db: Database) { (self.log, self.db) = (log, db) }

    /// The live record of a content; nil where the log has none that is whole.
    func record(of digest: ContentDigest, _ kind: RecordHeader.Kind) throws -> LogRecord? {
        guard let location = try all()[Key(kind: kind, digest: digest)] else { return nil }
        do { return try log.reader.record(at: location, of: digest) } catch is LogDamage { return nil }
    }

    private func all() throws -> [Key: RecordLocation] {
        if let known { return known }
        var found: [Key: RecordLocation] = [:]
        for number in try log.segments.segments() {
            guard var scan = try? LogScan(number, in: log.segments) else { continue }
            try scan.forEachRecord { record, state in
                let label = record.header.label
                let key = Key(kind: label.kind, digest: label.digest)
                guard state != .dead, label.kind != .commit, state == .live || found[key] == nil else { return }
                found[key] = record.location
            }
        }
        known = found
        return found
    }

    /// Makes rows of these ids name the records that are there. A message whose raw message was dropped since has none;
    /// a damaged record stays named, for `verify` to find.
    func renew(_ kind: RecordHeader.Kind, _ lost: [LostRows]) throws {
        for row in try rows(kind, lost) {
            guard let damage = try damage(of: row) else { continue }
            if let location = try all()[Key(kind: kind, digest: row.digest)] {
                try db.execute(
                    "UPDATE \(kind.table) SET \(RecordLocation.assignments) WHERE id = ?", location.arguments + [row.id]
                )
            } else if damage == .dead, kind == .message {
                try MessageRows.drop(MessageRows.ID(row.id), at: .now, db)
            }
        }
    }

    /// Removes rows of these ids, which come from a backup, where another record stands in the place of theirs and the
    /// log has none of their content: they are of a log that went another way. Gives how many.
    func dropOthers(_ kind: RecordHeader.Kind, _ lost: [LostRows]) throws -> Int {
        try rows(kind, lost).reduce(0) { count, row in
            guard try damage(of: row) == .otherRecord, try all()[Key(kind: kind, digest: row.digest)] == nil else {
                return count
            }
            return try count + db.execute("DELETE FROM \(kind.table) WHERE id = ?", [row.id])
        }
    }

    private func rows(_ kind: RecordHeader.Kind, _ lost: [LostRows]) throws -> [RecordRow] {
        let sql = "SELECT \(RecordRow.columns) FROM \(kind.table) WHERE segment IS NOT NULL AND id BETWEEN ? AND ?"
        return try lost.flatMap { try db.rows(sql, [$0.first, $0.last ?? .max], as: RecordRow.init) }
    }

    private func damage(of row: RecordRow) throws -> LogDamage.Kind? {
        guard let location = row.location else { return .header }
        do {
            _ = try log.reader.record(at: location, of: row.digest)
            return nil
        } catch let damage as LogDamage { return damage.kind }
    }

    /// Brings the rows of segments in line with those of their records. One without a row gets one that takes no more.
    func countSegments() throws {
        let used = try db.rows(
            """
            SELECT segment, max(record_offset + record_bytes), sum(record_bytes) FROM (\(RecordLocation.ofRows))
            GROUP BY segment
            """)
        try db.execute("UPDATE segment SET live_bytes = 0")
        for row in used {
            let (number, end, bytes): (SegmentNumber, Int64, Int64) = (row[0], row[1], row[2])
            let segment = try? log.segments.read(number)
            let salt = segment.flatMap { $0.hasProvenSalt ? Int64(bitPattern: $0.salt) : nil }
            try db.execute(
                """
                INSERT INTO segment (number, end_offset, live_bytes, is_sealed, released_bytes, salt)
                VALUES (?, ?, ?, 1, 1, ?) ON CONFLICT (number) DO UPDATE SET
                    end_offset = \(SQL.greatest("segment.end_offset", "excluded.end_offset")),
                    live_bytes = excluded.live_bytes
                """, [number, end, bytes, salt])
        }
    }
}
