/// The failure to make a profile.
package struct ProfileError: OperationalError, Sendable, CustomStringConvertible {
    /// The step that failed.
    package enum Code: Sendable, Hashable {
        /// No part was chosen, or one that this server does not offer.
        case parts
        /// The certificate or the key cannot be read or used.
        case identity
        /// The certificate of the private authority cannot be read or used.
        case authority
        /// The program that signs is missing, or fails.
        case signing
    }

    package var code: Code
    /// A clause for administrators, with what to do next: it names files, and holds no secret.
    package var description: String

    package init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

    package var condition: ErrorCondition {
        switch code {
        case .parts: .input
        case .identity, .authority: .configuration
        case .signing: .unavailable
        }
    }

    package var isTemporary: Bool { false }
}
