/// The interface that a token opens.
package enum TokenKind: String, Sendable, Hashable, CaseIterable {
    /// The mobile API: keys the signs, and never travels after the login.
    case mobile
    /// The web API and the pages: a bearer token.
    case web
    /// A password for one program, such as a WebDAV client.
    case app
}

/// A token as its owner and administrators see it.
package struct TokenRecord: Sendable, Hashable {
    package typealias ID = FundCore.ID<TokenRecord>
    package var id: ID
    package var user: User.ID
    package var kind: TokenKind
    package var label: String
    /// How far an app password reaches.
    package var reach: TokenReach
    package var createdAt: Timestamp
    package var expiresAt: Timestamp?
    package var lastUsedAt: Timestamp?
    package var revokedAt: Timestamp?

    package init(
        id: ID, user: User.ID, kind: TokenKind, label: String, reach: TokenReach = .files, createdAt: Timestamp
    ) {
        self.id = id
        self.user = user
        self.kind = kind
        self.label = label
        self.reach = reach
        self.createdAt = createdAt
    }

    /// Neither revoked nor expired.
    package func isLive(at now: Timestamp) -> Bool { revokedAt == nil && (expiresAt.map { now < $0 } ?? true) }
}

/// A mobile token with what is needed to check a sign.
package struct SealedToken: Sendable, Hashable {
    package var record: TokenRecord
    /// SHA-256 of the characters.
    package var digest: ContentDigest
    package var sealed: [UInt8]

    package init(record: TokenRecord, digest: ContentDigest, sealed: [UInt8]) {
        self.record = record
        self.digest = digest
        self.sealed = sealed
    }
}
