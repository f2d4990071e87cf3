import FundCore

/// Encrypts the characters of mobile tokens for the database, because their signs need them after a restart, with a key that is
/// not in the database. A sealed token opens only in its own row.
struct TokenSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail mobile tokens") }

    func seal(_ characters: String, of user: User.ID) throws -> [UInt8] {
        try seal.seal(Array(characters.utf8), in: Self.row(user, TokenText.digest(characters)))
    }

    /// Nil when it was sealed under another key, for another row, or changed since.
    func open(_ sealed: [UInt8], of user: User.ID, digest: ContentDigest) -> [UInt8]? {
        seal.open(sealed, in: Self.row(user, digest))
    }

    private static func row(_ user: User.ID, _ digest: ContentDigest) -> [UInt8] {
        withUnsafeBytes(of: user.bigEndian) { Array($0) } + digest.bytes
    }
}
