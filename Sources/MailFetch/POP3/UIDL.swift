internal import FundCore

/// The name of a message in a POP3 mailbox: 1 to 70 printable characters (RFC 1939 §7); longer ones are accepted.
struct UIDL: Hashable, Sendable, CustomStringConvertible {
    private static let maxBytes = 512

    let text: String

    /// The word at the start of `bytes`; nil when there is none, or a longer one than `maxBytes`.
    init?(_ bytes: some Sequence<UInt8>) {
        let word = bytes.prefix(while: ASCII.isVisible).prefix(Self.maxBytes + 1)
        guard (1...Self.maxBytes).contains(word.count) else { return nil }
        text = String(decoding: Array(word), as: UTF8.self)
    }

    var description: String { text }
}

/// Where a message is in a POP3 mailbox: its UIDL, or the digest of its bytes where the server gives it none. The
/// digest is known only after the message was fetched.
enum POP3Place: Hashable {
    case uidl(UIDL)
    case digest(ContentDigest)

    private static let digestMark = "sha256:"

    var text: String {
        switch self {
        case .uidl(let uidl): uidl.text
        case .digest(let digest): Self.digestMark + digest.hex
        }
    }

    init?(_ text: String) {
        let digest = ContentDigest(hex: String(text.dropFirst(Self.digestMark.count)))
        if text.hasPrefix(Self.digestMark), let digest {
            self = .digest(digest)
        } else if let uidl = UIDL(text.utf8), uidl.text == text {
            self = .uidl(uidl)
        } else {
            return nil
        }
    }
}
