internal import Crypto
import FundCore

extension LogRecord {
    /// Upper bound for composed records within each other; more is damage. The parser refuses messages that are nested
    /// deeper than 30 (`ParseLimits.maxDepth`).
    private static let maxDepth = 100

    /// Gives the content in its order, put together from what it repeats. Throws `LogDamage`, `SpoolError`, and what
    /// `consume` throws.
    ///
    /// - Parameter find: the record of another content of the log, nil when there is none.
    func content(
        _ find: (ContentDigest) throws -> LogRecord?, _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        try content(find, depth: 0, consume)
    }

    /// Reads all of the body and checks its blocks. Throws `LogDamage`, `SpoolError`.
    func verifyBlocks() throws { try read(0..<header.bodyBytes) { _ in } }

    /// `content`, compared with its SHA-256 at the end: what was given before it throws is to be thrown away.
    func verify(
        _ find: (ContentDigest) throws -> LogRecord?, _ consume: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws {
        var hash = SHA256()
        var count: Int64 = 0
        try content(find) { bytes in
            hash.update(bufferPointer: bytes)
            count += Int64(bytes.count)
            try consume(bytes)
        }
        guard count == header.subject.contentBytes, ContentDigest(hash.finalize()) == header.subject.digest else {
            throw damage(.content)
        }
    }

    private func content(
        _ find: (ContentDigest) throws -> LogRecord?, depth: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        guard header.subject.encoding == .composed else { return try read(0..<header.bodyBytes, consume) }
        guard depth < Self.maxDepth else { throw damage(.content) }
        let (pieces, tableBytes) = try pieces()
        var position = tableBytes
        for piece in pieces {
            switch piece {
            case .text(let count):
                guard position + count <= header.bodyBytes else { throw damage(.content) }
                try read(position..<(position + count), consume)
                position += count
            case .content(let digest, let count):
                let record = try found(digest, find)
                guard record.header.subject.contentBytes == count else { throw damage(.content) }
                try record.content(find, depth: depth + 1, consume)
            case .base64(let digest, let lines, let count):
                let record = try found(digest, find)
                guard lines.textBytes(of: record.header.subject.contentBytes) == count else { throw damage(.content) }
                var encoder = Base64LineEncoder(lines)
                try record.content(find, depth: depth + 1) { try encoder.encode($0, consume) }
                try encoder.finish(consume)
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
        try read(0..<min(header.bodyBytes, 8)) { table += $0 }
        guard let count = table.withUnsafeBytes({ MessageComposition.tableBytes(beginning: $0) }),
            Int64(count) <= header.bodyBytes
        else { throw damage(.content) }
        try read(Int64(table.count)..<Int64(count)) { table += $0 }
        let composition = table.withUnsafeBytes {
            MessageComposition(table: $0, messageBytes: header.subject.contentBytes)
        }
        guard let composition else { throw damage(.content) }
        return (composition.pieces, Int64(count))
    }
}
