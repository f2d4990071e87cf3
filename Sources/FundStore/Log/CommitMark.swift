import FundCore

/// Commit mark: the records of its segment that stand before `end` had rows in the database at `position`.
struct CommitMark: Hashable, Sendable {
    /// An offset in the segment.
    var end: Int64
    /// The database's position at that commit, see `LogPosition`; 0 in marks that are older than positions.
    var position: Int64
    /// The store whose database it was, see `StoreIdentity.mark`; the digest of nothing in marks that are older.
    var store: ContentDigest

    /// The digests in marks that name no store: those of older ones, and of a database that has no number.
    static let namelessStores: Set<ContentDigest> = [
        .of([]), .of([UInt8](repeating: 0, count: MemoryLayout<Int64>.size)),
    ]

    init(end: Int64, position: Int64, store: ContentDigest) {
        (self.end, self.position, self.store) = (end, position, store)
    }

    /// Reads the header of a mark; nil for a record of another kind, and for a mark that speaks of what stands behind
    /// it.
    init?(_ header: RecordHeader) {
        let label = header.label
        guard label.kind == .commit, let end = Int64(label.origin), end <= header.offset else { return nil }
        self.init(end: end, position: label.contentBytes, store: label.digest)
    }

    var label: RecordHeader.Label {
        RecordHeader.Label(
            kind: .commit, digest: store, contentBytes: position, time: .now, origin: String(end))
    }
}

extension SegmentFile {
    /// The commit marks behind `end` taken together: the furthest end, and the latest position with its store. Nil
    /// where there is none. Damage in between is passed over.
    func commitMark(behind end: Int64) throws -> CommitMark? {
        var scan = try LogScan(self, from: end)
        var found: CommitMark?
        while let entry = try scan.next() {
            guard case .record(let record, _) = entry, let mark = CommitMark(record.header) else { continue }
            let furthest = max(found?.end ?? 0, mark.end)
            if mark.position >= found?.position ?? 0 { found = mark }
            found?.end = furthest
        }
        return found
    }

    /// Whether a record stands somewhere behind `end`, be it one that no row ever had.
    func hasRecords(behind end: Int64) throws -> Bool {
        var scan = try LogScan(self, from: end)
        while let entry = try scan.next() {
            if case .record(let record, _) = entry, record.header.label.kind != .commit { return true }
        }
        return false
    }

    /// Whether a record stands in it that is not given up.
    func hasLiveRecords() throws -> Bool {
        var scan = try LogScan(self, from: 0)
        while let entry = try scan.next() {
            guard case .record(let record, let state) = entry, record.header.label.kind != .commit else { continue }
            if state != .dead { return true }
        }
        return false
    }
}

extension LogDirectory {
    /// The commit marks of each segment that has any, taken together.
    func commitMarks() throws -> [CommitMark] {
        try segments().compactMap { try? SegmentFile.read($0, in: self).commitMark(behind: 0) }
    }
}
