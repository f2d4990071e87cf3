internal import FundCore

/// The content of a letter in pieces, with a dot in front of each line that begins with one (RFC 5321 §4.5.2).
struct DotStuffing {
    private static let pieceBytes = 64 * 1024

    private let bytes: [UInt8]
    private var index = 0
    private var isAtLineStart = true

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The next piece; nil at the end.
    mutating func next() -> [UInt8]? {
        guard index < bytes.count else { return nil }
        var piece: [UInt8] = []
        piece.reserveCapacity(Self.pieceBytes + 64)
        while index < bytes.count, piece.count < Self.pieceBytes {
            let byte = bytes[index]
            if isAtLineStart, byte == .dot { piece.append(.dot) }
            piece.append(byte)
            isAtLineStart = byte == .lf
            index += 1
        }
        return piece
    }
}
