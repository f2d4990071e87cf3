import FundCore

/// The end of a segment that is appended to, with the records that are not in the file yet.
struct SegmentTail {
    /// Records are written in pieces of at least this size: the page cache then takes large pages, and a byte costs
    /// a third of what it costs record by record. A piece holds whole records: what a kill leaves reads as a log.
    private static let pieceBytes = 256 << 10
    /// Room is reserved in steps of this: some pieces, and little where a kill leaves it behind.
    private static let reserveBytes: Int64 = 4 << 20

    /// Outcome of records that could not be written.
    enum Condition {
        /// Whatever was taken is in the file, or waits.
        case whole
        /// A part of a failed record could not be cut off: nothing may follow it.
        case unclean
        /// Records that were taken before are lost.
        case lost
    }

    let segment: SegmentFile
    /// Offset at which the next record begins.
    private(set) var end: Int64
    private(set) var condition = Condition.whole
    /// Records before `end` that are not in the file.
    private var waiting: [UInt8] = []
    /// End of the room that was asked for, and is given back; 0 for none. `reserve` says whether it is certain.
    private var reservedEnd: Int64 = 0

    init(of segment: SegmentFile, at end: Int64) { (self.segment, self.end) = (segment, end) }

    /// Takes a record whose body is `parts`, one after the other. When it throws, nothing of this record stays;
    /// `condition` says what else holds then.
    mutating func append(
        _ label: RecordHeader.Label, _ parts: [UnsafeRawBufferPointer], bodyBytes: Int64
    ) throws(DiskError) -> RecordHeader {
        let header = RecordHeader(label, bodyBytes: bodyBytes, salt: segment.salt, offset: end)
        if reserve(upTo: header.end) {
            Self.add(header, parts, to: &waiting)
            end = header.end
            if waiting.count >= Self.pieceBytes { try write() }
        } else {
            try write()
            giveRoomBack()
            try writeAtOnce(header, parts)
        }
        return header
    }

    /// Writes all that waits.
    mutating func write() throws(DiskError) {
        guard !waiting.isEmpty else { return }
        let start = end - Int64(waiting.count)
        do throws(DiskError) {
            try waiting[...].withBytes { (bytes) throws(DiskError) in try segment.write(bytes, at: start) }
        } catch {
            // No half of a record and no room stay, where that can be helped.
            try? segment.cut(to: start)
            (condition, waiting) = (.lost, [])
            throw error
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Gives room back that was reserved for more. Nothing waits.
    mutating func giveRoomBack() {
        guard reservedEnd > 0, waiting.isEmpty, condition == .whole else { return }
        try? segment.cut(to: end)
        reservedEnd = 0
    }

    /// Whether records up to there may wait: then the disk takes them later for certain. Otherwise each is written at
    /// once, and one that does not fit fails by itself.
    private mutating func reserve(upTo wanted: Int64) -> Bool {
        if wanted <= reservedEnd { return true }
        let step = wanted + Self.reserveBytes
        guard segment.takeRoom(from: max(reservedEnd, end), upTo: step) else {
            // It may have got a part of it.
            reservedEnd = max(reservedEnd, end)
            return false
        }
        reservedEnd = step
        return true
    }

    private mutating func writeAtOnce(_ header: RecordHeader, _ parts: [UnsafeRawBufferPointer]) throws(DiskError) {
        // In one call: a copy in memory costs less than a second one.
        var record: [UInt8] = []
        Self.add(header, parts, to: &record)
        do throws(DiskError) {
            try segment.write(record, at: end)
        } catch {
            // A part of it must not stand behind a shorter record that follows.
            if (try? segment.cut(to: end)) == nil { condition = .unclean }
            throw error
        }
        end = header.end
    }

    /// A record with its checksums, behind others.
    private static func add(_ header: RecordHeader, _ parts: [UnsafeRawBufferPointer], to bytes: inout [UInt8]) {
        let start = bytes.count
        if bytes.capacity < start + Int(header.byteCount) {
            bytes.reserveCapacity(start + max(Int(header.byteCount), pieceBytes))
        }
        bytes += header.bytes()
        for part in parts { bytes.append(contentsOf: part) }
        bytes.pad()
        let checks = bytes.withUnsafeBytes { bytes in
            let body = UnsafeRawBufferPointer(rebasing: bytes[(start + Int(header.headBytes))...])
            return (0..<header.blockCount).map { index in
                let block = header.block(index)
                return header.checksum(
                    ofBlock: index,
                    UnsafeRawBufferPointer(rebasing: body[Int(block.lowerBound)..<Int(block.upperBound)]))
            }
        }
        for check in checks { bytes.append(integer: check) }
    }
}
