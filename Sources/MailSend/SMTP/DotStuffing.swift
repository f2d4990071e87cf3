internal import FundCore

/// The content of a letter in pieces, with a dot in front of each line that begins with one (RFC 5321 §4.5.2).
struct DotStuffing {
    private var pieces: MessagePieces
    private var isAtLineStart = true

    init(_ message: MessageData) { pieces = MessagePieces(message) }

    /// The next piece; nil at the end. Throws `StoreError` when a file cannot be read.
    mutating func next() throws -> [UInt8]? {
        guard let plain = try pieces.next() else { return nil }
        var piece: [UInt8] = []
        piece.reserveCapacity(plain.count + 64)
        for byte in plain {
            if isAtLineStart, byte == .dot { piece.append(.dot) }
            piece.append(byte)
            isAtLineStart = byte == .lf
        }
        return piece
    }
}
