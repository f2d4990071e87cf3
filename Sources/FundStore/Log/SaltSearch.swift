import FundCore

/// Finds the salt of a segment again whose opening and first record are damaged: by its last record.
///
/// A mail may hold bytes that look like records of the very place where they come to stand, but it does not know the
/// salt. Only that is believed which no mail can contain: a whole record that ends where the file ends, or where commit
/// marks begin that reach to the end. Behind each body stand its checksums, which hang on the salt: what came by mail
/// never ends there.
struct SaltSearch {
    /// How much is looked at from the end of the file on: more than a record takes that is not alone in its segment,
    /// and some marks.
    private static let windowBytes = LogFormat.largeBytes + (64 << 10)

    /// Where the bytes stand in the segment.
    private let start: Int64
    private let bytes: [UInt8]
    private var end: Int64 { start + Int64(bytes.count) }
    private let headers: [RecordHeader]

    /// - Parameter read: gives bytes of the segment; fewer where the disk cannot read them.
    init(size: Int64, _ read: (_ count: Int, _ offset: Int64) throws -> [UInt8]) rethrows {
        start = max(Int64(LogFormat.openingBytes), size - Self.windowBytes) / LogFormat.alignment * LogFormat.alignment
        bytes = size > start ? try read(Int(size - start), start) : []
        let (bytes, start) = (bytes, start)
        headers = RecordHeader.candidates(in: bytes).compactMap { index in
            let found = bytes[index...].withBytes { RecordHeader.read($0) }
            guard let (header, state) = found, header.offset == start + Int64(index), state == .live else { return nil }
            return header
        }
    }

    /// Nil where none is certain.
    func salt() -> UInt64? {
        headers.first { header in header.end == end && isWhole(header) || isMark(header, until: end) }?.salt
    }

    /// A commit mark that stands behind a whole record or another such mark.
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
