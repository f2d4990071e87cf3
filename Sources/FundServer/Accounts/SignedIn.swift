package import FundCore

/// A user who proved who they are.
package struct SignedIn: Sendable, Hashable {
    package var user: User
    /// With which token; nil when it was the password.
    package var token: TokenRecord?

    package init(user: User, token: TokenRecord? = nil) {
        self.user = user
        self.token = token
    }
}
