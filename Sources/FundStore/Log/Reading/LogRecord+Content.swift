internal import Crypto
import FundCore

extension LogRecord {
    /// Upper bound for composed records within each other; more is damage. The parser refuses messages that are nested
    /// deeper than 30 (`ParseLimits.maxDepth`).
    private static let maxDepth = 100

    /// Gives bytes of the content in their order, put together from what it repeats. Throws `LogDamage`, `DiskError`,
    /// and what `consume` throws.
    ///
    /// - Parameters:
    ///   - range: of the content; nil for all of it.
    ///   - find: the record of another content of the log, nil when there is none.
    func content(
        _ range: Range<Int64>? = nil, _ find: (ContentDigest) throws -> LogRecord?,
        _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        let range = range ?? 0..<header.label.contentBytes
        guard range.lowerBound >= 0, range.upperBound <= header.label.contentBytes else { throw damage(.otherRecord) }
        try content(range, find, depth: 0, consume)
    }

    /// The contents that a composed one repeats, in their order. Throws as `content`.
    func repeatedContents() throws -> [ContentDigest] {
        header.label.encoding.isComposed ? try pieces().pieces.compactMap(\.content) : []
    }

    /// Reads all of the body and checks its blocks. Throws `LogDamage`, `DiskError`.
    func verifyBlocks() throws { try read(0..<header.bodyBytes) { _ in } }

    /// Whether all blocks are as their checksums say.
    func isWhole() throws -> Bool {
        do {
            try verifyBlocks()
            return true
        } catch is LogDamage { return false }
    }

    /// `content`, compared with its SHA-256 at the end: what was given before it throws is to be thrown away.
    func verify(
        _ find: (ContentDigest) throws -> LogRecord?, _ consume: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        var hash = SHA256()
        var count: Int64 = 0
        try content(nil, find) { bytes in
            hash.update(bufferPointer: bytes)
            count += Int64(bytes.count)
            try consume(bytes)
        }
        guard count == header.label.contentBytes, ContentDigest(hash.finalize()) == header.label.digest else {
            throw damage(.content)
        }
    }

    private func content(
        _ range: Range<Int64>, _ find: (ContentDigest) throws -> LogRecord?, depth: Int,
        _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard header.label.encoding.isComposed else { return try readBody(range, consume) }
        guard depth < Self.maxDepth else { throw damage(.content) }
        let ((pieces, tableBytes), bodyBytes) = (try pieces(), try bodyBytes())
        // In the content, and in the body.
        var (start, position): (Int64, Int64) = (0, tableBytes)
        for piece in pieces {
            let end = start + piece.byteCount
            let wanted = range.clamped(to: start..<end)
            let inPiece = (wanted.lowerBound - start)..<(wanted.upperBound - start)
            start = end
            switch piece {
            case .literal(let count):
                guard position + count <= bodyBytes else { throw damage(.content) }
                try readBody((position + inPiece.lowerBound)..<(position + inPiece.upperBound), consume)
                position += count
            case .content(let digest, let count):
                guard !inPiece.isEmpty else { continue }
                let record = try found(digest, find)
                guard record.header.label.contentBytes == count else { throw damage(.content) }
                try record.content(inPiece, find, depth: depth + 1, consume)
            case .base64(let digest, let lines, let count):
                guard !inPiece.isEmpty else { continue }
                let record = try found(digest, find)
                let size = record.header.label.contentBytes
                guard lines.textBytes(of: size) == count else { throw damage(.content) }
                let source = lines.source(of: inPiece, contentBytes: size)
                var window = ByteWindow(skipping: inPiece.lowerBound - source.textStart, count: Int64(inPiece.count))
                var encoder = Base64LineEncoder(lines)
                func pass(_ text: UnsafeRawBufferPointer) throws { try window.pass(text, to: consume) }
                try record.content(source.bytes, find, depth: depth + 1) { try encoder.encode($0, pass) }
                try encoder.finish(pass)
            }
        }
    }

    private func found(_ digest: ContentDigest, _ find: (ContentDigest) throws -> LogRecord?) throws -> LogRecord {
        guard let record = try find(digest) else { throw damage(.missingContent(digest)) }
        return record
    }

    /// The pieces of a composed body, and the bytes of it that say them.
    private func pieces() throws -> (pieces: [MessageComposition.Piece], tableBytes: Int64) {
        var table: [UInt8] = []
        let bodyBytes = try bodyBytes()
        try readBody(0..<min(bodyBytes, 8)) { table += $0 }
        guard let count = table.withUnsafeBytes({ MessageComposition.tableBytes(beginning: $0) }),
            Int64(count) <= bodyBytes
        else { throw damage(.content) }
        try readBody(Int64(table.count)..<Int64(count)) { table += $0 }
        let composition = table.withUnsafeBytes {
            MessageComposition(table: $0, messageBytes: header.label.contentBytes)
        }
        guard let composition else { throw damage(.content) }
        return (composition.pieces, Int64(count))
    }
}

/// Lets a part of a stream through.
private struct ByteWindow {
    private var skipped: Int64
    private var rest: Int64

    init(skipping skipped: Int64, count: Int64) { (self.skipped, rest) = (skipped, count) }

    mutating func pass(_ bytes: UnsafeRawBufferPointer, to consume: (UnsafeRawBufferPointer) throws -> Void) rethrows {
        let start = min(skipped, Int64(bytes.count))
        skipped -= start
        let count = min(rest, Int64(bytes.count) - start)
        rest -= count
        if count > 0 { try consume(UnsafeRawBufferPointer(rebasing: bytes[Int(start)..<Int(start + count)])) }
    }
}
