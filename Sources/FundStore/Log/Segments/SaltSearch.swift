import FundCore

/// Facts of a log's segments that can stand in no mail.
struct SegmentEvidence: Sendable {
    /// Salts of segments, also of other copies of the same one.
    private(set) var salts: Set<UInt64>
    /// Digests by which commit marks name the store.
    private(set) var stores: Set<ContentDigest> = []

    init(salts: Set<UInt64> = [], stores: Set<ContentDigest> = []) {
        self.salts = salts
        self.stores = stores.subtracting(CommitMark.namelessStores)
    }

    /// Adds what a segment tells whose salt is certain.
    ///
    /// - Parameter stores: digests in its commit marks.
    mutating func add(salt: UInt64, stores: Set<ContentDigest>) {
        salts.insert(salt)
        self.stores.formUnion(stores.subtracting(CommitMark.namelessStores))
    }

    fileprivate func proves(_ header: RecordHeader) -> Bool {
        salts.contains(header.salt) || CommitMark(header).map { stores.contains($0.store) } ?? false
    }
}

/// Finds the salt of a segment again whose opening is damaged, by its records.
///
/// A mail may hold bytes that look like records of the very place where they come to stand, but it knows neither the
/// salt nor the store. A commit mark of a store that is known proves the salt, wherever it stands. Without one a whole
/// record counts that ends where the file ends, or where commit marks begin that reach to the end: behind each body
/// stand its checksums, which hang on the salt. But a file that is torn may end within what came by mail, so that this
/// proves nothing.
struct SaltSearch {
    /// Bytes that are looked at at a time, from the end of the file on: more than a record takes that is not alone in
    /// its segment, and some marks.
    private static let windowBytes = LogFormat.largeBytes + (64 << 10)
    /// Limit of bytes that are looked at: behind them, in a larger segment, a mark stands at the end alone.
    private static let maxBytes = LogFormat.segmentBytes + windowBytes

    private let size: Int64
    private let read: (_ count: Int, _ offset: Int64) throws -> [UInt8]

    /// - Parameter read: gives bytes of the segment; fewer where the disk cannot read them.
    init(size: Int64, _ read: @escaping (_ count: Int, _ offset: Int64) throws -> [UInt8]) {
        (self.size, self.read) = (size, read)
    }

    /// The salt of a record that these tell to be of the log.
    func salt(provenBy evidence: SegmentEvidence) throws -> UInt64? {
        let first = max(Int64(LogFormat.openingBytes), size - Self.maxBytes)
        var end = size
        while end > first {
            let window = try SaltWindow(from: end - Self.windowBytes, upTo: end, of: size, read)
            if let header = window.headers.first(where: evidence.proves) { return header.salt }
            end = window.start
        }
        return nil
    }

    /// The salt of what ends where the file ends: nothing is certain about it.
    func saltAtEnd() throws -> UInt64? {
        try SaltWindow(from: size - Self.windowBytes, upTo: size, of: size, read).saltAtEnd()
    }
}

/// A part of a segment, with the headers that begin in it.
private struct SaltWindow {
    /// Offset of the bytes in the segment.
    let start: Int64
    private let bytes: [UInt8]
    private var end: Int64 { start + Int64(bytes.count) }
    let headers: [RecordHeader]

    /// A header that reaches beyond `end` is found as well.
    init(
        from wanted: Int64, upTo end: Int64, of size: Int64,
        _ read: (_ count: Int, _ offset: Int64) throws -> [UInt8]
    ) throws {
        start = max(Int64(LogFormat.openingBytes), wanted) / LogFormat.alignment * LogFormat.alignment
        let last = min(size, end + Int64(LogFormat.headerBytes + LogFormat.maxOriginBytes))
        bytes = last > start ? try read(Int(last - start), start) : []
        let (bytes, start) = (bytes, start)
        headers = RecordHeader.candidates(in: bytes).compactMap { index in
            let found = bytes[index...].withBytes { RecordHeader.read($0) }
            guard let (header, state) = found, header.offset == start + Int64(index), state != .dead else { return nil }
            return header
        }
    }

    func saltAtEnd() -> UInt64? {
        headers.first { header in header.end == end && isWhole(header) || isMark(header, until: end) }?.salt
    }

    /// Whether a header is that of a commit mark which stands behind a whole record or another such mark.
    private func isMark(_ header: RecordHeader, until end: Int64) -> Bool {
        guard header.label.kind == .commit, header.end == end else { return false }
        return headers.contains { before in
            before.salt == header.salt && before.end == header.offset
                && (isWhole(before) || isMark(before, until: header.offset))
        }
    }

    private func isWhole(_ header: RecordHeader) -> Bool {
        guard header.blockCount > 0, header.end <= end else { return false }
        return bytes.withUnsafeBytes { bytes in
            (0..<header.blockCount).allSatisfy { index in
                let (block, place) = (header.block(index), Int(header.bodyOffset - start))
                let body = bytes[(place + Int(block.lowerBound))..<(place + Int(block.upperBound))]
                let check = Int(header.checksOffset + index * LogFormat.checkBytes - start)
                return header.checksum(ofBlock: index, UnsafeRawBufferPointer(rebasing: body))
                    == bytes.integer(at: check, as: UInt64.self)
            }
        }
    }
}
