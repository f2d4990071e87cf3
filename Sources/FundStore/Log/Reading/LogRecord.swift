internal import Synchronization

/// One record of the log, open for reading. For any thread.
final class LogRecord: Sendable {
    let known: KnownRecord
    let segment: any SegmentReader
    /// The state as it was when the record was opened.
    let state: RecordHeader.State
    /// Bytes of a small record; nil for another.
    let whole: [UInt8]?
    /// The body of a packed record, once it is asked for.
    private let unpacked = Mutex<[UInt8]?>(nil)

    var header: RecordHeader { known.header }
    var location: RecordLocation { header.location(in: segment.number) }

    /// - Parameter whole: all bytes of the record, of a small one.
    init(
        _ known: KnownRecord, in segment: any SegmentReader, _ state: RecordHeader.State = .live, whole: [UInt8]? = nil
    ) {
        self.known = known
        self.segment = segment
        self.state = state
        self.whole = whole
    }

    /// Bytes of the body as it was before it was packed. Throws as `readBody`.
    func bodyBytes() throws -> Int64 {
        header.label.encoding.isPacked ? Int64(try unpackedBody().count) : header.bodyBytes
    }

    /// Gives bytes of the body as it was before it was packed, else as `read`.
    func readBody(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard header.label.encoding.isPacked else { return try read(range, consume) }
        let body = try unpackedBody()
        guard range.lowerBound >= 0, range.upperBound <= body.count else { throw damage(.otherRecord) }
        guard !range.isEmpty else { return }
        try body.withUnsafeBytes {
            try consume(UnsafeRawBufferPointer(rebasing: $0[Int(range.lowerBound)..<Int(range.upperBound)]))
        }
    }

    private func unpackedBody() throws -> [UInt8] {
        if let known = unpacked.withLock({ $0 }) { return known }
        // Nothing larger is packed.
        guard header.bodyBytes <= LogFormat.largeBytes else { throw damage(.content) }
        var packed: [UInt8] = []
        try read(0..<header.bodyBytes) { packed.append(contentsOf: $0) }
        guard let body = PackedBody.unpack(packed) else { throw damage(.content) }
        unpacked.withLock { $0 = body }
        return body
    }

    /// Gives bytes of the body in their order, at most a block at a time. A block is read, checked and then given, or
    /// not given at all. Throws `LogDamage`, `DiskError`, and what `consume` throws.
    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !range.isEmpty else { return }
        guard range.lowerBound >= 0, range.upperBound <= header.bodyBytes else { throw damage(.otherRecord) }
        let blocks = KnownRecord.blocks(of: range)
        let checksums = try checksums(of: blocks)
        if let whole {
            return try whole.withUnsafeBytes { bytes in
                for (index, checksum) in zip(blocks, checksums) {
                    let block = header.block(index)
                    let start = Int(header.headBytes + block.lowerBound)
                    let bytes = UnsafeRawBufferPointer(rebasing: bytes[start..<(start + block.count)])
                    try give(range, of: index, bytes, checksum, consume)
                }
            }
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(LogFormat.blockBytes), alignment: 16)
        defer { buffer.deallocate() }
        for (index, checksum) in zip(blocks, checksums) {
            let block = header.block(index)
            let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<block.count])
            guard try segment.fill(bytes, at: header.bodyOffset + block.lowerBound) == block.count else {
                throw damage(.cutOff)
            }
            try give(range, of: index, UnsafeRawBufferPointer(bytes), checksum, consume)
        }
    }

    /// Checksums as they were written, in the order of the blocks.
    private func checksums(of blocks: Range<Int64>) throws -> [UInt64] {
        let count = blocks.count * Int(LogFormat.checkBytes)
        let offset = header.checksOffset + blocks.lowerBound * LogFormat.checkBytes
        let bytes =
            try whole.map { Array($0.dropFirst(Int(offset - header.offset)).prefix(count)) }
            ?? segment.bytes(count, at: offset)
        guard bytes.count == count else { throw damage(.cutOff) }
        return bytes.withUnsafeBytes { bytes in
            stride(from: 0, to: count, by: Int(LogFormat.checkBytes)).map { bytes.integer(at: $0, as: UInt64.self) }
        }
    }

    /// Gives what is wanted of a block, unless its bytes have another checksum.
    private func give(
        _ range: Range<Int64>, of index: Int64, _ bytes: UnsafeRawBufferPointer, _ checksum: UInt64,
        _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard header.checksum(ofBlock: index, bytes) == checksum else {
            known.checked.removeAll()
            // It may have been given up since it was opened.
            let isDead = try segment.state(ofRecordAt: header.offset) == RecordHeader.State.dead.bytes
            throw damage(isDead ? .dead : .block(index))
        }
        known.checked.insert(index)
        let start = header.block(index).lowerBound
        let wanted = range.clamped(to: header.block(index))
        try consume(
            UnsafeRawBufferPointer(rebasing: bytes[Int(wanted.lowerBound - start)..<Int(wanted.upperBound - start)]))
    }

    func damage(_ kind: LogDamage.Kind) -> LogDamage { LogDamage(kind, segment.number, header.offset) }
}
