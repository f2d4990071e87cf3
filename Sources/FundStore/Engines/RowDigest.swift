internal import Crypto
import FundCore

/// Digests of the rows of a table in the order of their keys, one for each piece of so many rows: two copies tell by
/// them where they differ, whatever their size.
struct RowDigests: Equatable {
    /// Rows of a piece, of which the last one may have fewer.
    static let pieceRows = 4096

    private(set) var count = 0
    /// Bytes of the values, each with its type and length.
    private(set) var bytes: Int64 = 0
    private(set) var pieces: [ContentDigest] = []
    private var hash = SHA256()
    private var buffer: [UInt8] = []

    private static let bufferBytes = 64 << 10

    /// Adds the next row.
    mutating func add(_ row: [SQLContent?]) {
        for value in row {
            switch value {
            case nil: buffer.append(0)
            case .integer(let number):
                buffer.append(1)
                append(number)
            case .text(let text): append(2, text.utf8)
            case .bytes(let bytes): append(3, bytes)
            }
        }
        count += 1
        if buffer.count >= Self.bufferBytes { flush() }
        if count.isMultiple(of: Self.pieceRows) { endPiece() }
    }

    private mutating func append(_ number: Int64) {
        withUnsafeBytes(of: number.littleEndian) { buffer.append(contentsOf: $0) }
    }

    private mutating func append(_ type: UInt8, _ content: some Collection<UInt8>) {
        buffer.append(type)
        append(Int64(content.count))
        buffer.append(contentsOf: content)
    }

    private mutating func flush() {
        bytes += Int64(buffer.count)
        buffer.withUnsafeBytes { hash.update(bufferPointer: $0) }
        buffer.removeAll(keepingCapacity: true)
    }

    private mutating func endPiece() {
        flush()
        pieces.append(ContentDigest(hash.finalize()))
        hash = SHA256()
    }

    /// Ends the last piece. No row comes after it.
    mutating func finish() { if !count.isMultiple(of: Self.pieceRows) { endPiece() } }

    /// Digest of all rows.
    var whole: ContentDigest { .of(pieces.flatMap(\.bytes)) }

    static func == (one: RowDigests, other: RowDigests) -> Bool {
        one.count == other.count && one.pieces == other.pieces
    }

    /// Number of rows before the first piece that differs; nil for equal ones.
    func agreement(with other: RowDigests) -> Int? {
        guard self != other else { return nil }
        let equal = zip(pieces, other.pieces).prefix { $0 == $1 }.count
        return equal * Self.pieceRows
    }
}
