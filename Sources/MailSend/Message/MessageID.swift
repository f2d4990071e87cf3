internal import FundCore

/// The identifier of a message (RFC 5322 §3.6.4), without angle brackets.
package struct MessageID: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    /// Longer ones would not leave a line room for a second.
    private static let maxBytes = 480

    /// Takes the identifier of a message that came by mail. Nil unless it is visible ASCII that cannot end the field or
    /// the brackets: many programs do not keep to the grammar, and a thread follows what they wrote.
    package init?(_ text: String) {
        let isSafe = text.utf8.allSatisfy { ASCII.isVisible($0) && $0 != .lessThan && $0 != .greaterThan }
        guard isSafe, (1...Self.maxBytes).contains(text.utf8.count), !text.contains("=?") else { return nil }
        description = text
    }

    private init(made text: String) { description = text }

    /// Makes one that no other message has.
    ///
    /// - Parameter domain: the sender's, in A-labels.
    package static func make(domain: String) -> MessageID {
        MessageID(made: "\(Hex.text(RandomBytes.make(16)))@\(domain)")
    }
}
