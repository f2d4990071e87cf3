import FundCore

/// Giving bytes of the log back to the disk. A process may be killed at any moment of it: rows say what is still to do.
extension StoreLog {
    /// Limit of records of one transaction.
    private static let maxDead = 1000

    private struct DeadRecord {
        var location: RecordLocation
        var digest: ContentDigest
        /// It stands nowhere else.
        var isContentGone: Bool
    }

    /// Marks dead records, gives their bytes back to the disk and removes segments of which nothing is left. Does
    /// nothing while a backup is made or another process is at it: the next call does it. So it is with the bytes that
    /// are on their way to a client. Returns how many bytes the disk really has back.
    @discardableResult
    func reclaim() throws -> Int64 {
        var freed: Int64 = 0
        try reclaiming { freed = try reclaimDead() }
        return freed
    }

    @discardableResult
    private func reclaimDead() throws -> Int64 {
        var freed: Int64 = 0
        var (last, failure): (RecordLocation?, (any Error)?)
        while true {
            let dead = try dead(after: last)
            guard let end = dead.last else { break }
            last = end.location
            // Previews of a content go with it.
            let previews = PreviewFiles(location: connection.location, owner: connection.owner)
            for record in dead where record.isContentGone { previews.remove(record.digest) }
            var done: [DeadRecord] = []
            for (number, records) in Dictionary(grouping: dead, by: \.location.segment) {
                // One segment that cannot be written hinders no other.
                let before = segments.storedBytes(of: number)
                do { done += try giveUp(records, in: number) } catch { failure = error }
                freed += max(0, before - segments.storedBytes(of: number))
            }
            faults.reach(.afterReclaim)
            try connection.write("forget dead records", .reserve) { db in
                for record in done {
                    try db.execute(
                        "DELETE FROM dead_record WHERE segment = ? AND record_offset = ?",
                        [record.location.segment, record.location.offset])
                }
            }
        }
        freed += try removeEmptySegments()
        if let failure { throw failure }
        return freed
    }

    /// The next in the order in which they stand.
    private func dead(after last: RecordLocation?) throws -> [DeadRecord] {
        try connection.read("look for dead records") { db in
            try db.rows(
                """
                SELECT \(RecordLocation.columns), digest,
                    NOT EXISTS (SELECT 1 FROM blob WHERE blob.digest = dead_record.digest)
                FROM dead_record WHERE (segment, record_offset) > (?, ?)
                ORDER BY segment, record_offset LIMIT \(Self.maxDead)
                """, [last?.segment.rawValue ?? 0, last?.offset ?? 0]
            ).compactMap { row in
                try RecordLocation(row, at: 0).map {
                    DeadRecord(location: $0, digest: try row.digest(3), isContentGone: row[4])
                }
            }
        }
    }

    /// Returns those of which nothing is left to be done.
    private func giveUp(_ records: [DeadRecord], in number: SegmentNumber) throws -> [DeadRecord] {
        do {
            let held = Set(try segments.giveUp(records.map { ($0.location, $0.digest) }, in: number))
            let free = records.filter { !held.contains($0.location) }
            guard free.isEmpty, objects != nil else { return free }
            let isGoing = try connection.read("look for an object") { try SegmentObjectRows(db: $0).isGoing(number) }
            return isGoing ? records : []
        } catch let damage as LogDamage {
            guard damage.isMissingSegment || damage.kind == .opening else { throw damage }
            try segments.requireInPlace()
            return records
        }
    }

    /// Not one with bytes that are still to be given back: a process that has it open would keep all of them.
    private static let isEmpty = """
        live_bytes = 0 AND is_ahead = 0 AND (is_sealed = 1 OR end_offset <= \(LogFormat.openingBytes))
        AND NOT EXISTS (SELECT 1 FROM dead_record WHERE dead_record.segment = segment.number)
        """

    /// Removes segments that are sealed and have nothing left, and those that got no record because their process was
    /// killed or the power lost.
    private func removeEmptySegments() throws -> Int64 {
        var freed: Int64 = 0
        let numbers: [SegmentNumber] = try connection.read("look for empty segments") { db in
            try db.values("SELECT number FROM segment WHERE \(Self.isEmpty)")
        }
        for number in numbers {
            let isRemoved: Bool
            let size = segments.storedBytes(of: number)
            do {
                guard let removed = try removeIfEmpty(number) else { continue }
                isRemoved = removed
            } catch is DiskError {
                // An empty file harms nothing: the next call tries it again.
                continue
            }
            try connection.write("forget a segment", .reserve) { db in
                let isForgotten = try db.execute(
                    "DELETE FROM segment WHERE number = ? AND live_bytes = 0 AND (is_sealed = 1 OR ? = 1)",
                    [number, isRemoved])
                if isForgotten > 0 { try SegmentObjectRows(db: db).dropWhole(number, at: .now) }
            }
            reader.forget(number)
            if isRemoved { freed += size }
        }
        return freed
    }

    /// Nil for one that stays: a process still appends to it, or it has records without rows, or its bytes are of no
    /// segment. False for one that was removed before, by a process that was killed; the file of one that is not sealed
    /// may still come.
    private func removeIfEmpty(_ number: SegmentNumber) throws -> Bool? {
        let taken: (any HeldSegment)?
        do { taken = try segments.hold(number, for: .removal) } catch let damage as LogDamage {
            return damage.kind == .missingSegment ? false : nil
        }
        guard let file = taken else { return nil }
        // While it is held here, no row can come to it.
        let row = try connection.read("look at a segment again") { db in
            try db.row("SELECT is_sealed, salt FROM segment WHERE number = ? AND \(Self.isEmpty)", [number])
        }
        guard let row else { return nil }
        let (isSealed, salt): (Bool, Int64?) = (row[0], row[1])
        // One that is known with another salt is the file of another store.
        guard salt == nil || salt == Int64(bitPattern: file.salt) else { return nil }
        // Nothing is removed of a log that is newer than its database.
        if !isSealed, let mark = try file.commitMark(behind: Int64(LogFormat.openingBytes)) {
            try SQLSegmentCatalog(rows: connection).leave(number, mark)
            return nil
        }
        try file.remove()
        return true
    }

    // MARK: One at a time

    private static let lockWait = Duration.seconds(2)

    /// Runs `body` as the only process that gives bytes back; not at all when another one is at it.
    private func reclaiming(_ body: () throws -> Void) throws {
        guard let lease = try connection.leases.take(.reclaim, waitingUpTo: Self.lockWait) else { return }
        defer { lease.end() }
        try body()
    }

    /// See `Leases.withoutReclaim`.
    func withoutReclaim<Value>(_ body: () throws -> Value) throws -> Value {
        try connection.leases.withoutReclaim(body)
    }

    // MARK: Compaction

    /// Copies what is left of sealed segments of which less than half is needed, and removes them. Stops after about
    /// these bytes; the next call goes on.
    func compact(atMost bytes: Int64) throws { try reclaiming { try compactSegments(atMost: bytes) } }

    private func compactSegments(atMost bytes: Int64) throws {
        try segments.requireInPlace()
        let numbers: [SegmentNumber] = try connection.read("look for segments to compact") { db in
            try db.values(
                """
                SELECT number FROM segment
                WHERE is_sealed = 1 AND is_ahead = 0 AND live_bytes > 0 AND live_bytes * 2 < end_offset
                    AND NOT EXISTS (SELECT 1 FROM segment_object WHERE segment_object.number = segment.number
                        AND is_alone = 1)
                ORDER BY live_bytes * 1.0 / end_offset
                """)
        }
        var copied: Int64 = 0
        for number in numbers where copied < bytes {
            copied += try compactIfFree(number)
            // The records that were copied, and then the segment.
            try reclaimDead()
        }
    }

    /// Holds the segment meanwhile, so that two processes do not copy the same. Returns how many bytes it copied.
    private func compactIfFree(_ number: SegmentNumber) throws -> Int64 {
        guard let file = try? segments.hold(number, for: .keeping) else { return 0 }
        return try withExtendedLifetime(file) { try compact(number) }
    }

    private struct Move {
        var kind: RecordHeader.Kind
        var digest: ContentDigest
        var old: RecordLocation
        var new: AppendedRecord
    }

    /// Limit of records of one transaction.
    private static let maxMoved = 500

    /// Returns how many bytes it copied. A damaged record stays where it is, and with it the segment.
    private func compact(_ number: SegmentNumber) throws -> Int64 {
        var (moves, copied): ([Move], Int64) = ([], 0)
        var generation = generation
        var scan = try LogScan(number, in: segments)
        while let entry = try scan.next() {
            // A row knows better than what the record says of itself: the copy says it right.
            guard case .record(let record, _) = entry, try isNeeded(record) else { continue }
            let label = record.header.label
            do {
                guard let new = try copy(record) else { continue }
                moves.append(Move(kind: label.kind, digest: label.digest, old: record.location, new: new))
                copied += record.location.count
            } catch is LogDamage { continue }
            if moves.count == Self.maxMoved {
                try finish(&moves, appendedIn: generation)
                generation = self.generation
            }
        }
        try finish(&moves, appendedIn: generation)
        return copied
    }

    private func copy(_ record: LogRecord) throws -> AppendedRecord? {
        // A large one has its segment for itself: there is nothing to gain.
        guard record.header.bodyBytes < LogFormat.largeBytes else { return nil }
        var body: [UInt8] = []
        body.reserveCapacity(Int(record.header.bodyBytes))
        try record.read(0..<record.header.bodyBytes) { body.append(contentsOf: $0) }
        return try body.withUnsafeBytes { try append(record.header.label, [$0]) }
    }

    private func isNeeded(_ record: LogRecord) throws -> Bool {
        let label = record.header.label
        return try connection.read("look up a record") { db in
            try label.kind.location(of: label.digest, db) == record.location
        }
    }

    private func finish(_ moves: inout [Move], appendedIn generation: Int) throws {
        guard !moves.isEmpty else { return }
        _ = try committing("move records", .reserve, appendedIn: [generation]) { db in
            let segments = SegmentRows(db: db)
            return try moves.filter { move in
                // A purge may have come in between.
                guard try move.kind.location(of: move.digest, db) == move.old else {
                    try segments.discard(move.new.location, of: move.digest)
                    return false
                }
                try segments.note(move.new)
                try segments.release(move.old, of: move.digest)
                try move.kind.move(move.digest, to: move.new.location, db)
                return true
            }
        } records: {
            $0.map(\.new)
        }
        moves = []
    }
}
