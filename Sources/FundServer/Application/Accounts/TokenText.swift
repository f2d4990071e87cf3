internal import Crypto
import FundCore

/// The characters of tokens. Only their hash is stored.
enum TokenText {
    /// 32 random bytes in base64url, 43 characters.
    static func make() -> String { Base64.urlText(RandomBytes.make(32)) }

    /// Six groups of four characters with 120 random bits: `7k2m-…`. They cannot be guessed, so that SHA-256 without
    /// a salt protects them as well as scrypt would.
    static func makeAppPassword() -> String { SecureBytes.readableGroups(6) }

    /// Normalises a typed app password: case, hyphens and spaces do not matter. Nil for text that cannot be one.
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

/// The text that the sign of a mobile call is computed over, exactly as it was sent.
struct SignedCall: Sendable {
    /// Four fields with a line feed between them; the last is the SHA-256 of the body in lower-case hexadecimal.
    /// Computed once, since each token of the named user is tried: otherwise a client without a token could make the
    /// server hash a large body a hundred times, and learn from the time whether a user has tokens.
    let text: String

    /// - Parameters:
    ///   - path: up to and including the user's id.
    ///   - query: without `?`.
    init(method: String, path: String, query: String, body: [UInt8] = []) {
        text = "\(method)\n\(path)\n\(query)\n\(ContentDigest.of(body).hex)"
    }

    /// HMAC-SHA256 (RFC 2104) under the token's characters.
    func sign(key: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key)))
    }
}
