internal import FundCore

/// The bytes of a message as every server takes them: 7-bit, and in lines of at most 998 bytes that end in CRLF.
///
/// Servers disagree about bare line ends, and take what follows one for another message ("SMTP smuggling"); 8-bit bytes
/// need 8BITMIME. Bytes that come from the disk are checked like those that were just written. Files are read and coded
/// while the message goes out, so that memory holds a piece of one.
package struct MessageData: Sendable, Hashable {
    /// A part of a message.
    enum Part: Sendable, Hashable {
        /// Whole lines.
        case lines([UInt8])
        /// A file, in base64.
        case file(AttachedContent)

        /// In bytes, as it goes out.
        var size: Int {
            switch self {
            case .lines(let bytes): bytes.count
            case .file(let content): TransferCoding.base64Size(of: content.size)
            }
        }
    }

    /// RFC 5321 §4.5.3.1.6, without the CRLF.
    static let maxLineBytes = 998

    let parts: [Part]
    /// In bytes.
    package let size: Int

    /// - Throws: `bareLineEnd`, `eightBit`, `longLine`, and `control` for NUL.
    package init(_ bytes: [UInt8]) throws(MessageError) { try self.init([.lines(bytes)]) }

    /// - Throws: the same, for the lines among the parts.
    init(_ parts: [Part]) throws(MessageError) {
        for case .lines(let bytes) in parts { try Self.check(bytes) }
        self.parts = parts
        size = parts.reduce(0) { $0 + $1.size }
    }

    /// All bytes, for a message that is small, or in tests. Blocks. Throws `StoreError` when a file cannot be read.
    package func collect() throws -> [UInt8] {
        var (pieces, bytes): (MessagePieces, [UInt8]) = (MessagePieces(self), [])
        while let piece = try pieces.next() { bytes += piece }
        return bytes
    }

    private static func check(_ bytes: [UInt8]) throws(MessageError) {
        func refusal(_ problem: MessageError.Problem) -> MessageError { MessageError(problem, in: "the message") }
        var lineBytes = 0
        var previous = UInt8.lf
        for byte in bytes {
            if byte == .lf {
                guard previous == .cr else { throw refusal(.bareLineEnd) }
                lineBytes = 0
            } else {
                guard previous != .cr else { throw refusal(.bareLineEnd) }
                guard byte < 0x80 else { throw refusal(.eightBit) }
                guard byte != .nul else { throw refusal(.control) }
                if byte != .cr { lineBytes += 1 }
                guard lineBytes <= maxLineBytes else { throw refusal(.longLine) }
            }
            previous = byte
        }
        guard previous == .lf else { throw refusal(.bareLineEnd) }
    }
}

/// Gives the bytes of a message in pieces, in their order.
struct MessagePieces {
    /// Bytes of a file in one piece: whole lines of base64, 64 KiB and some with their coding.
    private static let fileBytes = 57 * 860
    private static let lineBytes = 64 * 1024

    private let parts: [MessageData.Part]
    private var part = 0
    /// Bytes of the part that were given, of a file before their coding.
    private var offset = 0

    init(_ message: MessageData) { parts = message.parts }

    /// The next piece, which is not empty; nil at the end. Blocks. Throws `StoreError` when a file cannot be read.
    mutating func next() throws -> [UInt8]? {
        while part < parts.count {
            let piece: [UInt8]
            switch parts[part] {
            case .lines(let bytes):
                piece = Array(bytes[offset..<min(bytes.count, offset + Self.lineBytes)])
                advance(by: piece.count, of: bytes.count)
            case .file(let content):
                let range = offset..<min(content.size, offset + Self.fileBytes)
                piece = TransferCoding.base64.encoded(try content.read(range))
                advance(by: range.count, of: content.size)
            }
            if !piece.isEmpty { return piece }
        }
        return nil
    }

    private mutating func advance(by count: Int, of size: Int) {
        offset += count
        if offset >= size { (part, offset) = (part + 1, 0) }
    }
}
