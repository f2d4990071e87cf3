package import FundCore

/// An authenticated user.
package struct SignedIn: Sendable, Hashable {
    package var user: User
    /// The token that authenticated them; nil when it was the password.
    package var token: TokenRecord?

    package init(user: User, token: TokenRecord? = nil) {
        self.user = user
        self.token = token
    }
}
