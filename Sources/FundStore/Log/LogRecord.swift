/// One record of the log, open for reading. For any thread.
final class LogRecord: Sendable {
    let header: RecordHeader
    let segment: SegmentFile
    /// All of a small record.
    private let whole: [UInt8]?

    /// - Parameter whole: all bytes of the record, of a small one.
    init(_ header: RecordHeader, in segment: SegmentFile, whole: [UInt8]?) {
        self.header = header
        self.segment = segment
        self.whole = whole
    }

    /// Gives bytes of the body in their order, at most a block at a time. A block is read, checked and then given, or
    /// not given at all. Throws `LogDamage`, `SpoolError`, and what `consume` throws.
    func read(_ range: Range<Int64>, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard !range.isEmpty else { return }
        guard range.lowerBound >= 0, range.upperBound <= header.bodyBytes else { throw damage(.otherRecord) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Int(LogFormat.blockBytes), alignment: 16)
        defer { buffer.deallocate() }
        let blocks = (range.lowerBound / LogFormat.blockBytes)...((range.upperBound - 1) / LogFormat.blockBytes)
        for index in blocks {
            let block = header.block(index)
            let wanted = range.clamped(to: block)
            let part = Int(wanted.lowerBound - block.lowerBound)..<Int(wanted.upperBound - block.lowerBound)
            if let whole {
                try whole.withUnsafeBytes { bytes in
                    try check(index, bytes: body(block, of: bytes))
                    try consume(UnsafeRawBufferPointer(rebasing: body(block, of: bytes)[part]))
                }
            } else {
                let bytes = UnsafeMutableRawBufferPointer(rebasing: buffer[..<block.count])
                guard try segment.fill(bytes, at: header.bodyOffset + block.lowerBound) == block.count else {
                    throw damage(.cutOff)
                }
                try check(index, bytes: UnsafeRawBufferPointer(bytes))
                try consume(UnsafeRawBufferPointer(rebasing: bytes[part]))
            }
        }
    }

    /// All of the body.
    func body() throws -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(header.bodyBytes))
        try read(0..<header.bodyBytes) { bytes.append(contentsOf: $0) }
        return bytes
    }

    private func body(_ block: Range<Int64>, of bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        let start = Int(header.headBytes + block.lowerBound)
        return UnsafeRawBufferPointer(rebasing: bytes[start..<(start + block.count)])
    }

    private func check(_ index: Int64, bytes: UnsafeRawBufferPointer) throws {
        guard header.checksum(ofBlock: index, bytes) == (try notedChecksum(index)) else {
            // It may have been given up since it was opened.
            let state = try segment.bytes(8, at: header.offset + Int64(LogFormat.stateOffset))
            throw damage(state == RecordHeader.State.dead.bytes ? .dead : .block(index))
        }
    }

    private func notedChecksum(_ index: Int64) throws -> UInt64 {
        let offset = header.checksOffset + index * LogFormat.checkBytes
        if let whole {
            return whole.withUnsafeBytes { $0.integer(at: Int(offset - header.offset), as: UInt64.self) }
        }
        let bytes = try segment.bytes(Int(LogFormat.checkBytes), at: offset)
        guard bytes.count == LogFormat.checkBytes else { throw damage(.cutOff) }
        return bytes.withUnsafeBytes { $0.integer(at: 0, as: UInt64.self) }
    }

    func damage(_ kind: LogDamage.Kind) -> LogDamage { LogDamage(kind, segment.number, header.offset) }
}
