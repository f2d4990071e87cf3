/// A user with the hash of the password.
package struct Account: Sendable, Hashable {
    package var user: User
    /// Hash in the form of `PasswordHash`; nil when no password was set: then none fits.
    package var passwordHash: String?

    package init(user: User, passwordHash: String?) {
        self.user = user
        self.passwordHash = passwordHash
    }
}
