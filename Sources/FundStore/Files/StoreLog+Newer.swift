import FundCore
internal import Synchronization

/// Records that the log holds ahead of its database.
extension StoreLog {
    /// Does as `leaveNewer` when the store is opened. A log that cannot be looked at now stops nothing: that is said,
    /// and `lookAgain` does it later. A writer that appends to a segment looks at that one.
    func lookAtOpening() -> String? {
        do { return try leaveNewer()?.description } catch {
            hasToLookAgain.store(true, ordering: .relaxed)
            return "whether the log is ahead of the database, as after an older one came back, could not be seen: "
                + "\(StoreError.wrap(error, "compare the log with the database")). The next command looks again"
        }
    }

    /// Does what could not be done when the store was opened. Throws as `leaveNewer`.
    func lookAgain() throws {
        guard hasToLookAgain.load(ordering: .relaxed) else { return }
        _ = try leaveNewer()
        hasToLookAgain.store(false, ordering: .relaxed)
    }

    /// Looks whether the log is ahead of the database, and leaves what is. Gives what was not known before, the second
    /// time nothing of it; and each time what no row can ever know. Throws `StoreError`, `DiskError`.
    func leaveNewer() throws -> NewerLog? {
        // First the files: a segment gets its row before its file.
        let files = try segments.segments()
        let (rows, last, store) = try connection.read("look for what the log has ahead") { db in
            (try Self.ends(db), try Self.lastNumber(db), try StoreIdentity.mark(db))
        }
        var (open, unknown): ([SegmentNumber: CommitMark?], [SegmentNumber: UInt64]) = ([:], [:])
        var (strange, position): ([SegmentNumber], Int64) = ([], 0)
        for number in files {
            if let row = rows[number] {
                guard row.isOpen, let file = try? segments.read(number), try file.size() > row.end
                else { continue }
                let mark = try? file.commitMark(behind: row.end)
                open[number] = .some(mark)
                position = max(position, mark?.position ?? 0)
            } else if let file = try? segments.read(number) {
                // One without a row whose number was given was removed, or has lost its row.
                if number.value > last, file.hasProvenSalt, let mark = try? file.commitMark(behind: 0),
                    mark.store == store
                {
                    unknown[number] = file.salt
                    position = max(position, mark.position)
                } else if (try? file.hasLiveRecords()) ?? false {
                    strange.append(number)
                }
            }
        }
        let newer = try leaveAhead(open, unknown, position)
        guard newer != nil || !strange.isEmpty else { return nil }
        return NewerLog(segments: newer?.segments ?? [], unknown: strange)
    }

    private func leaveAhead(
        _ open: [SegmentNumber: CommitMark?], _ unknown: [SegmentNumber: UInt64], _ position: Int64
    ) throws -> NewerLog? {
        guard !open.isEmpty || !unknown.isEmpty else { return nil }
        // Asked only now: what the marks say is committed.
        let isAhead = try connection.read("look how far the database has come") { db in
            let ends = try Self.ends(db)
            return try !unknown.isEmpty || position > LogPosition.of(db)
                || open.contains { number, mark in mark?.end ?? 0 > ends[number]?.end ?? .max }
        }
        return isAhead ? try leave(Array(open.keys), unknown, position) : nil
    }

    /// End of the rows of each segment, and whether it may take further records.
    private static func ends(_ db: Database) throws -> [SegmentNumber: (end: Int64, isOpen: Bool)] {
        try db.rows("SELECT number, end_offset, is_sealed = 0 AND is_ahead = 0 FROM segment").reduce(into: [:]) {
            $0[$1[0]] = ($1[1], $1[2])
        }
    }

    private static func lastNumber(_ db: Database) throws -> Int64 {
        try db.lastNumber(of: "segment")
    }

    /// Leaves segments of a newer log, also where no mark stands: of the last commit before the power went there may be
    /// none.
    private func leave(
        _ open: [SegmentNumber], _ unknown: [SegmentNumber: UInt64], _ position: Int64
    ) throws -> NewerLog? {
        // Held until the transaction has ended. What another process holds that one sees to.
        let held = open.compactMap { number in
            (try? segments.hold(number, for: .keeping)).flatMap { file in file.map { (number, $0) } }
        }
        return try withExtendedLifetime(held) {
            try connection.write("leave what the log has ahead", .reserve) { db in
                let rows = SegmentRows(db: db)
                var found: [SegmentNumber] = []
                for (number, file) in held {
                    let end: Int64? = try db.value(
                        "SELECT end_offset FROM segment WHERE number = ? AND is_sealed = 0", [number])
                    guard let end, try file.hasRecords(behind: end), try rows.leave(number) else { continue }
                    found.append(number)
                }
                for (number, salt) in unknown {
                    try rows.takeIn(number, salt: salt)
                    found.append(number)
                }
                try LogPosition.pass(position, db)
                guard !found.isEmpty else { return nil }
                let newer = NewerLog(segments: found.sorted())
                try newer.note(db)
                try StoreHistory.begin(db)
                return newer
            }
        }
    }
}
