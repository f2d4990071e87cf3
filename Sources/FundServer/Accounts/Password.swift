internal import FundCore

/// What somebody typed as a password, in the form in which it is hashed: composed Unicode (NFC), since keyboards differ in how
/// they write `é` (RFC 8265 §4.2.2).
package struct Password: Sendable {
    /// More is nobody's password, and costs time before the first hash round.
    private static let maxBytes = 1024
    package static let minCharacters = 10

    /// Never empty, so that there is always something to hash.
    let bytes: [UInt8]
    /// False for what can be nobody's password; hashing it costs the same.
    let isPossible: Bool

    package init(_ text: String) {
        // Composing makes three bytes of nine at most (Hangul); what is longer needs no look.
        guard text.utf8.count <= 3 * Self.maxBytes else {
            (bytes, isPossible) = (Array(text.utf8.prefix(Self.maxBytes)), false)
            return
        }
        let composed = Array(text.nfc.utf8)
        // HMAC fills its key up with zeros (RFC 2104 §2), so one at the end of a password would make no difference.
        isPossible = !composed.isEmpty && composed.count <= Self.maxBytes && !composed.contains(0)
        bytes = composed.isEmpty ? [0] : Array(composed.prefix(Self.maxBytes))
    }

    /// Why `text` is not taken as a new password of the user with these addresses, as a sentence without a full stop; nil when
    /// it is.
    package static func problem(with text: String, addresses: [String]) -> String? {
        if text.utf8.count > maxBytes { return "a password has at most \(maxBytes) bytes" }
        if text.count < minCharacters {
            return "a password needs \(minCharacters) characters: shorter ones are soon guessed once a backup is stolen"
        }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            return "a password cannot hold control characters: no login form could send it"
        }
        if Set(text).count < 4 { return "a password of so few different characters is guessed at once" }
        let isAddress = addresses.contains { address in
            address.lowercased() == text.lowercased() || address.lowercased().hasPrefix("\(text.lowercased())@")
        }
        if isAddress {
            return "a password must not be the user's address"
        }
        return nil
    }

    /// A new one: five groups of four characters, 100 random bits, none of which is mistaken for another.
    package static func generate() -> String { SecureBytes.readableGroups(5) }
}
