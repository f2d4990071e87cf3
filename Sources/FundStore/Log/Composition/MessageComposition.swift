import FundCore

/// A message as pieces: text of its own, and contents that stand in the log once, with the encoding that gives back the
/// very same bytes.
///
/// The body of such a record, see `LogFormat`:
///
///     body     = u64 count of pieces, piece…, the literals one after the other
///     piece    =  0  u8 kind (1 text, 2 content as it is, 3 content in base64)
///                 1  u8 line end of base64 (0 none, 1 LF, 2 CRLF)
///                 2  u16 0
///                 4  u32 characters of a line of base64, 0 when all stands in one line
///                 8  i64 count of its bytes in the message
///                16  SHA-256 of the content, zero bytes for text
struct MessageComposition: Hashable, Sendable {
    enum Piece: Hashable, Sendable {
        /// Text of the message itself: its count of bytes.
        case literal(Int64)
        case content(ContentDigest, bytes: Int64)
        case base64(ContentDigest, Base64LineEncoder.Lines, bytes: Int64)

        /// Bytes of the message.
        var byteCount: Int64 {
            switch self {
            case .literal(let bytes), .content(_, let bytes), .base64(_, _, let bytes): bytes
            }
        }

        /// The content that it repeats; nil for text.
        var content: ContentDigest? {
            switch self {
            case .literal: nil
            case .content(let digest, _), .base64(let digest, _, _): digest
            }
        }
    }

    /// A content that the message may repeat, as the parser gave it.
    struct Content {
        var digest: ContentDigest
        var bytes: UnsafeRawBufferPointer
    }

    private static let pieceBytes = 48
    private static let countBytes = 8
    /// Parts of a message, and the literals between them; more is damage.
    private static let maxPieces = 1 << 16
    /// A shorter content costs more as a piece of its own.
    private static let minContentBytes = 128

    private(set) var pieces: [Piece]

    private init(pieces: [Piece]) { self.pieces = pieces }

    /// Finds the pieces of a message, one content after the other.
    ///
    /// Each piece was compared with the message byte by byte: together they are the message.
    struct Builder {
        private let messageBytes: Int
        private var search: ContentSearch
        private var found: [ContentSearch.Match] = []
        private var position = 0

        /// - Parameter release: gives memory back; called now and then.
        init(_ message: UnsafeRawBufferPointer, release: @escaping () -> Void = {}) {
            messageBytes = message.count
            search = ContentSearch(in: message, release: release)
        }

        /// Whether the message repeats this content, and not within another that was added before.
        mutating func add(_ content: Content) -> Bool {
            guard content.bytes.count >= MessageComposition.minContentBytes else { return false }
            // In their order, as they mostly come; else from the beginning.
            var match = search.find(content, from: position)
            if match == nil, position > 0 { match = search.find(content, from: 0) }
            guard let match, !found.contains(where: { $0.range.overlaps(match.range) }) else { return false }
            found.append(match)
            position = match.range.upperBound
            return true
        }

        /// Nil for a message that repeats no content.
        func finish() -> MessageComposition? {
            guard !found.isEmpty else { return nil }
            var (pieces, position): ([Piece], Int) = ([], 0)
            for match in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
                let range = match.range
                if range.lowerBound > position { pieces.append(.literal(Int64(range.lowerBound - position))) }
                pieces.append(match.piece)
                position = range.upperBound
            }
            if position < messageBytes { pieces.append(.literal(Int64(messageBytes - position))) }
            return MessageComposition(pieces: pieces)
        }
    }

    // MARK: Bytes

    /// The part of the record before the literals.
    var table: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.countBytes + pieces.count * Self.pieceBytes)
        bytes.append(integer: UInt64(pieces.count))
        for piece in pieces { bytes += Self.bytes(of: piece) }
        return bytes
    }

    private static func bytes(of piece: Piece) -> [UInt8] {
        let (kind, lines): (UInt8, Base64LineEncoder.Lines?)
        switch piece {
        case .literal: (kind, lines) = (1, nil)
        case .content: (kind, lines) = (2, nil)
        case .base64(_, let found, _): (kind, lines) = (3, found)
        }
        var bytes = [kind, lines?.length == nil ? 0 : lines?.end.rawValue ?? 0, 0, 0]
        bytes.append(integer: UInt32(lines?.length ?? 0))
        bytes.append(integer: piece.byteCount)
        return bytes + (piece.content?.bytes ?? [UInt8](repeating: 0, count: ContentDigest.byteCount))
    }

    /// The literals, in their order.
    func literals(of message: UnsafeRawBufferPointer) -> [UnsafeRawBufferPointer] {
        var (literals, position): ([UnsafeRawBufferPointer], Int) = ([], 0)
        for piece in pieces {
            let end = position + Int(piece.byteCount)
            if case .literal = piece { literals.append(UnsafeRawBufferPointer(rebasing: message[position..<end])) }
            position = end
        }
        return literals
    }

    /// Reads the table. Nil unless it is one, and its pieces are as many bytes as the message has.
    init?(table bytes: UnsafeRawBufferPointer, messageBytes: Int64) {
        guard let end = Self.tableBytes(beginning: bytes), bytes.count >= end else { return nil }
        pieces = []
        var sum: Int64 = 0
        for start in stride(from: Self.countBytes, to: end, by: Self.pieceBytes) {
            let length = bytes.integer(at: start + 4, as: UInt32.self)
            let byteCount = bytes.integer(at: start + 8, as: Int64.self)
            guard byteCount >= 0, byteCount <= messageBytes - sum,
                let digest = ContentDigest(bytes: bytes[(start + 16)..<(start + Self.pieceBytes)])
            else { return nil }
            switch bytes[start] {
            case 1: pieces.append(.literal(byteCount))
            case 2: pieces.append(.content(digest, bytes: byteCount))
            case 3:
                let lines = Base64LineEncoder.Lines(
                    length: length > 0 ? Int(length) : nil, end: .init(rawValue: bytes[start + 1]) ?? .lf)
                pieces.append(.base64(digest, lines, bytes: byteCount))
            default: return nil
            }
            // Bytes without a meaning have to be zero.
            let piece = bytes[start..<(start + Self.pieceBytes)]
            guard pieces.last.map(Self.bytes(of:))?.elementsEqual(piece) ?? false else { return nil }
            sum += byteCount
        }
        guard sum == messageBytes else { return nil }
    }

    /// Bytes of the table, by the count at its beginning; nil when that is 0 or above `maxPieces`.
    static func tableBytes(beginning bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= countBytes else { return nil }
        let count = bytes.integer(at: 0, as: UInt64.self)
        return count > 0 && count <= maxPieces ? countBytes + Int(count) * pieceBytes : nil
    }
}
