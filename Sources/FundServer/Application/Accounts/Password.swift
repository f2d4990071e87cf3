internal import FundCore

/// A password as it is hashed: in composed Unicode (NFC), since keyboards differ in writing `é` (RFC 8265 §4.2.2).
package struct Password: Sendable {
    /// No stored password is longer. Longer text would take time before the first hash round.
    static let maxBytes = 1024
    static let minCharacters = 10

    /// Never empty, so that every check computes a hash.
    let bytes: [UInt8]
    /// False for text that no stored password can be; hashing it costs the same.
    let isPossible: Bool

    init(_ text: String) {
        // NFC shortens text to a third at most (Hangul), so longer text needs no normalisation.
        guard text.utf8.count <= 3 * Self.maxBytes else {
            (bytes, isPossible) = (Array(text.utf8.prefix(Self.maxBytes)), false)
            return
        }
        let composed = Array(text.nfc.utf8)
        // HMAC pads its key with zeros (RFC 2104 §2), so a zero at the end of a password would make no difference.
        isPossible = !composed.isEmpty && composed.count <= Self.maxBytes && !composed.contains(0)
        bytes = composed.isEmpty ? [0] : Array(composed.prefix(Self.maxBytes))
    }

    /// Why a new password of the user with these addresses is refused; nil when it is accepted.
    package static func problem(with text: String, addresses: [String]) -> PasswordProblem? {
        if text.utf8.count > maxBytes { return .tooLong }
        if text.count < minCharacters { return .tooShort }
        if text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) { return .controls }
        if Set(text).count < 4 { return .monotonous }
        let isAddress = addresses.contains { "\($0)@".lowercased().hasPrefix("\(text.lowercased())@") }
        return isAddress ? .address : nil
    }

    /// A random password: five groups of four characters, 100 random bits, without characters that look alike.
    package static func generate() -> String { SecureBytes.readableGroups(5) }
}

/// Why a new password is refused. The raw values stand in the table of the pages' words.
package enum PasswordProblem: String, Sendable, CaseIterable {
    case tooLong = "too-long"
    case tooShort = "too-short"
    case controls
    case monotonous
    case address

    /// In English, without a full stop.
    package var text: String {
        switch self {
        case .tooLong: "a password has at most \(Password.maxBytes) bytes"
        case .tooShort:
            "a password needs \(Password.minCharacters) characters: shorter ones are soon guessed once a backup "
                + "is stolen"
        case .controls: "a password cannot hold control characters: no login form could send it"
        case .monotonous: "a password of so few different characters is guessed at once"
        case .address: "a password must not be the user's address"
        }
    }
}
