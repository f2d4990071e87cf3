internal import FundCore

/// Encrypts the characters of mobile tokens for the database, since checking a sign needs them after a restart. The key
/// is not in the database, and a sealed token opens only for its own row.
struct TokenSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail mobile tokens") }

    func seal(_ characters: String, of user: User.ID) throws -> [UInt8] {
        try seal.seal(Array(characters.utf8), in: Self.row(user, TokenText.digest(characters)))
    }

    /// Nil when it was sealed under another key or for another row, or was changed.
    func open(_ sealed: [UInt8], of user: User.ID, digest: ContentDigest) -> [UInt8]? {
        seal.open(sealed, in: Self.row(user, digest))
    }

    private static func row(_ user: User.ID, _ digest: ContentDigest) -> [UInt8] {
        withUnsafeBytes(of: user.rawValue.bigEndian) { Array($0) } + digest.bytes
    }
}
