internal import FundHTTP
internal import FundCore

/// Codes on paper, each of which stands in for a lost second factor once. Only their digests are kept.
enum RecoveryCode {
    static let count = 10
    private static let groups = 4
    private static let letters = 16

    /// Four groups of four characters, 80 random bits: `7k2m-…`, without characters that look alike.
    static func make() -> [String] { (0..<count).map { _ in SecureBytes.readableGroups(groups) } }

    /// The digest under which a typed code is kept; case, blanks and hyphens do not matter. Nil for text that cannot be
    /// one.
    static func digest(_ typed: String, of user: User.ID) -> ContentDigest? {
        guard typed.isShortWord else { return nil }
        let text = typed.lowercased().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "-"), .space: nil
            case UInt8(ascii: "o"): UInt8(ascii: "0")
            case UInt8(ascii: "i"), UInt8(ascii: "l"): UInt8(ascii: "1")
            default: byte
            }
        }
        guard text.count == letters, text.allSatisfy(ASCII.isAlphanumeric) else { return nil }
        return .of(Array("\(user) ".utf8) + text)
    }
}
