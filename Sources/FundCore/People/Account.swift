/// A user with the hash of the password.
package struct Account: Sendable, Hashable {
    package var user: User
    /// As `PasswordHash` writes it; nil when none was set: then no password fits.
    package var passwordHash: String?

    package init(user: User, passwordHash: String?) {
        self.user = user
        self.passwordHash = passwordHash
    }
}
