/// A token to be kept. Its characters are not: only what recognises them.
package struct NewToken: Sendable {
    package var user: User.ID
    package var kind: TokenKind
    /// The program or device, by which its owner knows it.
    package var label: String
    package var reach: TokenReach
    /// SHA-256 of the token's characters.
    package var digest: ContentDigest
    /// The characters, encrypted under a key that is not in the database. For `mobile` only, whose signs need them.
    package var sealed: [UInt8]?
    package var createdAt: Timestamp
    /// Nil never expires.
    package var expiresAt: Timestamp?
    /// The token with which its owner asked for this one, which is not added when that one has ended meanwhile.
    package var grantedBy: TokenRecord.ID?

    package init(
        user: User.ID, kind: TokenKind, label: String, reach: TokenReach = .files, digest: ContentDigest,
        sealed: [UInt8]? = nil, createdAt: Timestamp, expiresAt: Timestamp? = nil
    ) {
        self.user = user
        self.kind = kind
        self.label = label
        self.reach = reach
        self.digest = digest
        self.sealed = sealed
        self.createdAt = createdAt
        self.expiresAt = expiresAt
    }
}
