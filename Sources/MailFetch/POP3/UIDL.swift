/// The name of a message in a POP3 mailbox (RFC 1939 §7): there 1 to 70 printable characters; longer ones are taken as they come.
struct UIDL: Hashable, Sendable, CustomStringConvertible {
    private static let maxBytes = 512

    let text: String

    /// The word at the start of `bytes`; nil when there is none, or one without end.
    init?(_ bytes: some Sequence<UInt8>) {
        let word = bytes.prefix { $0 > 32 && $0 < 127 }.prefix(Self.maxBytes + 1)
        guard (1...Self.maxBytes).contains(word.count) else { return nil }
        text = String(decoding: Array(word), as: UTF8.self)
    }

    var description: String { text }
}
