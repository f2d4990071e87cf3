import FundCore

/// The characters of tokens. Only their hash is stored.
package enum TokenText {
    /// 32 random bytes in base64url, 43 characters.
    static func make() -> String { SecureBytes.base64URL(SecureBytes.random(32)) }

    /// Six groups of four characters with 120 random bits: `7k2m-…`. They cannot be guessed, so that SHA-256 without
    /// a salt protects them as well as scrypt would.
    static func makeAppPassword() -> String { SecureBytes.readableGroups(6) }

    /// Normalises a typed app password, in which case, hyphens and spaces do not matter. Nil for text that cannot be
    /// one.
    static func appPassword(_ typed: String) -> String? {
        guard typed.utf8.count <= 64 else { return nil }
        let characters = typed.lowercased().utf8.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
        guard characters.count == 24,
            characters.allSatisfy(ASCII.isAlphanumeric)
        else { return nil }
        let groups = stride(from: 0, to: 24, by: 4).map { String(decoding: characters[$0..<($0 + 4)], as: UTF8.self) }
        return groups.joined(separator: "-")
    }

    static func digest(_ characters: String) -> ContentDigest { .of(characters.utf8) }
}

/// The name of a token in lists: one short line.
enum TokenLabel {
    private static let maxLength = 100

    static func clean(_ text: String) -> String {
        String(text.prefix(bytes: 8 * maxLength).label.unicodeScalars.prefix(maxLength))
    }
}
