internal import FundCore

/// The name of an object within a bucket, without the prefix of the bucket's address: parts of lower-case letters,
/// digits and hyphens with slashes between them. Such a name stands in requests, signatures and listings as it is.
package struct ObjectKey: Hashable, Sendable, CustomStringConvertible {
    /// Limit of all stores, of which a prefix takes a part.
    static let maxBytes = 900

    package let text: String

    /// Nil for a text that is no such name.
    package init?(_ text: String) {
        guard Self.isPath(text) else { return nil }
        self.text = text
    }

    /// A name that the program makes itself of digits and words, and that is one.
    package init(validating text: String) {
        precondition(Self.isPath(text))
        self.text = text
    }

    package var description: String { text }

    /// Whether a text consists of such parts.
    static func isPath(_ text: String) -> Bool {
        text.utf8.count <= maxBytes
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
                !part.isEmpty
                    && part.utf8.allSatisfy { ASCII.isDigit($0) || ASCII.isLowercase($0) || $0 == .hyphen }
            }
    }
}
