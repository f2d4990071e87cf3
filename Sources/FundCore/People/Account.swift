/// A user with the hash of the password and the second factors.
package struct Account: Sendable, Hashable {
    package var user: User
    /// Hash in the form of `PasswordHash`; nil when no password was set: then none fits.
    package var passwordHash: String?
    package var factors: SecondFactors

    package init(user: User, passwordHash: String?, factors: SecondFactors = SecondFactors()) {
        self.user = user
        self.passwordHash = passwordHash
        self.factors = factors
    }
}
