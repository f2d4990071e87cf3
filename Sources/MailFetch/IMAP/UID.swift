/// Names a message of an IMAP mailbox as long as its `UIDValidity` stays: 1 to 4294967295 (RFC 3501 §2.3.1.1).
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

    /// Nil after the last one that there can be.
    var next: UID? { value < .max ? UID(unchecked: value + 1) : nil }
    var description: String { "\(value)" }

    static func < (a: UID, b: UID) -> Bool { a.value < b.value }
}

/// The generation of a mailbox's UIDs: when it changes, every UID means another message (RFC 3501 §2.3.1.1).
package struct UIDValidity: Hashable, Sendable, CustomStringConvertible {
    package let value: UInt32

    /// Nil for 0.
    package init?(_ value: UInt32) {
        guard value > 0 else { return nil }
        self.value = value
    }

    /// Nil unless `text` is a number from 1 to 4294967295.
    package init?(_ text: some StringProtocol) {
        guard let value = UInt32(exactly: text) else { return nil }
        self.init(value)
    }

    package var description: String { "\(value)" }
}

extension UInt32 {
    /// Digits and nothing else: no sign.
    fileprivate init?(exactly text: some StringProtocol) {
        guard text.utf8.allSatisfy(\.isASCIIDigit) else { return nil }
        self.init(text)
    }
}
