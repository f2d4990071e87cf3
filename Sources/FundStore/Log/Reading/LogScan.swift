import FundCore

/// Goes through a segment from its beginning to its end, by what stands there alone.
struct LogScan {
    /// Finding at a location of the segment.
    enum Entry {
        case record(LogRecord, RecordHeader.State)
        /// No whole header stands here.
        case damage(LogDamage)
    }

    /// Read at a time while a header is looked for.
    private static let chunkBytes = 1 << 20
    /// Bytes that a disk loses at a time.
    private static let sectorBytes = 4096

    private let segment: any SegmentReader
    private let size: Int64
    private var position: Int64

    /// - Parameter end: of what is looked at; nil for the end of the file, where the remainder of a killed process may
    ///   stand, and a record that is being appended.
    /// Throws `LogDamage` when the segment is missing or is another one.
    init(_ number: SegmentNumber, in segments: any SegmentStore, upTo end: Int64? = nil) throws {
        try self.init(segments.read(number), from: Int64(LogFormat.openingBytes), upTo: end)
    }

    /// - Parameter start: where a record begins, or nothing that is known.
    init(_ segment: any SegmentReader, from start: Int64, upTo end: Int64? = nil) throws {
        self.segment = segment
        position = LogFormat.padded(max(start, Int64(LogFormat.openingBytes)))
        size = min(try segment.size(), end ?? .max)
    }

    /// The segment's first bytes have changed.
    var hasDamagedOpening: Bool { segment.hasDamagedOpening }

    /// Goes on; nil at the end. Bytes of a body are not looked at. After damage it goes on with the next header that is
    /// whole.
    mutating func next() throws -> Entry? {
        guard position < size else { return nil }
        if let (header, state) = try header(at: position) {
            position = header.end
            return .record(LogRecord(KnownRecord(header, in: segment.number), in: segment, state), state)
        }
        let start = position
        position = try nextHeader(after: start)
        return .damage(LogDamage(.header, segment.number, start))
    }

    /// Calls `body` for each record up to the end; damage in between is passed over.
    mutating func forEachRecord(_ body: (LogRecord, RecordHeader.State) throws -> Void) throws {
        while let entry = try next() { if case .record(let record, let state) = entry { try body(record, state) } }
    }

    /// Nil for a record that reaches beyond the end of the file.
    private func header(at offset: Int64) throws -> (RecordHeader, RecordHeader.State)? {
        guard let bytes = try readable(LogFormat.headerBytes + LogFormat.maxOriginBytes, at: offset),
            let found = bytes.withUnsafeBytes({ RecordHeader.read($0) }), found.header.salt == segment.salt,
            found.header.offset == offset, found.header.end <= size
        else {
            return nil
        }
        return found
    }

    /// A header can stand only at a multiple of the alignment. One within a body, of a log that was sent by mail, has
    /// another salt.
    private func nextHeader(after offset: Int64) throws -> Int64 {
        var start = offset + LogFormat.alignment
        var chunkBytes = Self.chunkBytes
        while start < size {
            guard let bytes = try readable(chunkBytes, at: start) else {
                // Around a bad sector in small steps.
                if chunkBytes <= Self.sectorBytes { start += Int64(chunkBytes) }
                chunkBytes = Self.sectorBytes
                continue
            }
            for index in RecordHeader.candidates(in: bytes) {
                let candidate = start + Int64(index)
                if try header(at: candidate) != nil { return candidate }
            }
            start += Int64(chunkBytes)
        }
        return size
    }

    /// Nil when the disk cannot read these bytes.
    private func readable(_ count: Int, at offset: Int64) throws -> [UInt8]? {
        do { return try segment.bytes(count, at: offset) } catch let damage as LogDamage {
            guard damage.kind == .unreadable else { throw damage }
            return nil
        }
    }
}
