internal import FundCore

/// Where a message is in a POP3 mailbox: its UIDL. Where the server gives it none, the digest of its bytes stands for it, and it must be
/// fetched to know that.
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
