internal import FundCore

/// The bytes of a message as every server takes them: 7-bit, and in lines of at most 998 bytes that end in CRLF.
///
/// Servers disagree about bare line ends, and take what follows one for another message ("SMTP smuggling"); 8-bit bytes
/// need 8BITMIME. Bytes that come from the disk are checked like those that were just written.
package struct MessageData: Sendable, Hashable {
    package let bytes: [UInt8]

    /// RFC 5321 §4.5.3.1.6, without the CRLF.
    static let maxLineBytes = 998

    /// - Throws: `bareLineEnd`, `eightBit`, `longLine`, and `control` for NUL.
    package init(_ bytes: [UInt8]) throws(MessageError) {
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
                guard lineBytes <= Self.maxLineBytes else { throw refusal(.longLine) }
            }
            previous = byte
        }
        guard previous == .lf else { throw refusal(.bareLineEnd) }
        self.bytes = bytes
    }
}
