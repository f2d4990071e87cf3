import FundCore

extension SegmentReader {
    /// The commit marks behind `end` taken together: the furthest end, and the latest position with its store. Nil
    /// where there is none. Damage in between is passed over.
    func commitMark(behind end: Int64) throws -> CommitMark? {
        var scan = try LogScan(self, from: end)
        var found: CommitMark?
        try scan.forEachRecord { record, _ in
            guard let mark = CommitMark(record.header) else { return }
            let furthest = max(found?.end ?? 0, mark.end)
            if mark.position >= found?.position ?? 0 { found = mark }
            found?.end = furthest
        }
        return found
    }

    /// Whether a record stands somewhere behind `end`, be it one that no row ever had.
    func hasRecords(behind end: Int64) throws -> Bool {
        try hasRecord(behind: end) { _ in true }
    }

    /// Whether a record stands in it that is not given up.
    func hasLiveRecords() throws -> Bool { try hasRecord(behind: 0) { $0 != .dead } }

    private func hasRecord(behind end: Int64, _ isWanted: (RecordHeader.State) -> Bool) throws -> Bool {
        var scan = try LogScan(self, from: end)
        while let entry = try scan.next() {
            guard case .record(let record, let state) = entry, record.header.label.kind != .commit else { continue }
            if isWanted(state) { return true }
        }
        return false
    }
}

extension SegmentReader {
    /// The word in a record's header that says whether it is live.
    func state(ofRecordAt offset: Int64) throws -> [UInt8] {
        try bytes(RecordHeader.stateBytes, at: offset + Int64(LogFormat.stateOffset))
    }
}

extension SegmentStore {
    /// Headers of a segment by their offsets. A header has the digest of its content, and the salt of its segment.
    func headers(of number: SegmentNumber, upTo end: Int64 = .max) throws -> [Int64: RecordHeader] {
        var scan = try LogScan(number, in: self, upTo: end)
        var headers: [Int64: RecordHeader] = [:]
        try scan.forEachRecord { record, _ in headers[record.header.offset] = record.header }
        return headers
    }

    /// Whether a segment has the very records here and in another log, and no other. False where it is damaged.
    func hasSameRecords(of number: SegmentNumber, as other: any SegmentStore, upTo end: Int64) throws -> Bool {
        do { return try headers(of: number, upTo: end) == other.headers(of: number, upTo: end) } catch is LogDamage {
            return false
        }
    }

    /// The commit marks of each segment that has any, taken together.
    func commitMarks() throws -> [CommitMark] {
        try segments().compactMap { try? read($0).commitMark(behind: 0) }
    }
}
