internal import FundCore

/// Identifies a message of an IMAP mailbox as long as its `UIDValidity` stays: 1 to 4294967295 (RFC 3501 §2.3.1.1).
struct UID: Hashable, Comparable, Sendable, CustomStringConvertible {
    let value: UInt32

    static let first = UID(unchecked: 1)

    /// Nil for 0.
    init?(_ value: UInt32) {
        guard value > 0 else { return nil }
        self.value = value
    }

    /// Nil unless `text` is such a number.
    init?(_ text: some StringProtocol) {
        guard let value = UInt32(exactly: text) else { return nil }
        self.init(value)
    }

    private init(unchecked value: UInt32) { self.value = value }

    /// Nil after the largest.
    var next: UID? { value < .max ? UID(unchecked: value + 1) : nil }
    var description: String { "\(value)" }

    static func < (a: UID, b: UID) -> Bool { a.value < b.value }
}

/// The generation of a mailbox's UIDs: when it changes, every UID may mean another message (RFC 3501 §2.3.1.1).
struct UIDValidity: Hashable, Sendable, CustomStringConvertible {
    let value: UInt32

    /// Nil for 0.
    init?(_ value: UInt32) {
        guard value > 0 else { return nil }
        self.value = value
    }

    /// Nil unless `text` is a number from 1 to 4294967295.
    init?(_ text: some StringProtocol) {
        guard let value = UInt32(exactly: text) else { return nil }
        self.init(value)
    }

    var description: String { "\(value)" }
}

extension UInt32 {
    /// Digits and nothing else: no sign.
    fileprivate init?(exactly text: some StringProtocol) {
        guard text.utf8.allSatisfy(ASCII.isDigit) else { return nil }
        self.init(text)
    }
}

/// Where a message is in an IMAP mailbox: `uidvalidity/uid` (RFC 3501 §2.3.1.1). A server may not use one twice.
struct IMAPPlace: Hashable {
    var epoch: UIDValidity
    var uid: UID

    init(epoch: UIDValidity, uid: UID) {
        self.epoch = epoch
        self.uid = uid
    }

    init?(_ text: some StringProtocol) {
        guard let slash = text.firstIndex(of: "/"), let epoch = UIDValidity(text[..<slash]),
            let uid = UID(text[text.index(after: slash)...])
        else { return nil }
        self.init(epoch: epoch, uid: uid)
    }

    var text: String { "\(epoch)/\(uid)" }
}
