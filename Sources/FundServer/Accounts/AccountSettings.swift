/// Settings of authentication.
package struct AccountSettings: Sendable {
    /// Cost of new password hashes; weaker ones are replaced at the next login.
    package var scrypt = ScryptParameters.standard
    /// Hashes computed at a time. With the standard cost each takes 128 MiB for a third of a second.
    package var concurrentHashes = 2
    /// Logins that may wait for a hash; more are refused.
    package var waitingHashes = 32
    package var backOff = BackOff()
    /// Lifetime of a mobile token after its last use.
    package var mobileLifetime = Duration.seconds(3600)
    /// Lifetime of a token of the web API after its last use.
    package var webLifetime = Duration.seconds(12 * 3600)
    /// Time for which a verified name and password are accepted without hashing again. A change of the password or of
    /// the user ends it at once.
    package var credentialLifetime = Duration.seconds(300)

    package init() {}
}
