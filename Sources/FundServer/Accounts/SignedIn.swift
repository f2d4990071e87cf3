package import Ingest

/// A user and how they proved who they are.
package struct SignedIn: Sendable, Hashable {
    package enum Means: Sendable, Hashable {
        case password
        case token(TokenRecord.ID, TokenKind)
    }

    package var user: User
    package var means: Means

    package init(user: User, means: Means) {
        self.user = user
        self.means = means
    }
}
