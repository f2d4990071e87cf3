/// How people are let in.
package struct AccountSettings: Sendable {
    /// With which new passwords are hashed; weaker hashes are replaced at the next login.
    package var scrypt = ScryptParameters.standard
    /// Each takes 128 MiB for a third of a second.
    package var concurrentHashes = 2
    /// How many logins may wait for a hash; more are refused.
    package var waitingHashes = 32
    package var backOff = BackOff()
    /// How long a mobile token is good after its last use.
    package var mobileLifetime = Duration.seconds(3600)
    /// The same for tokens of the web API and the pages.
    package var webLifetime = Duration.seconds(12 * 3600)
    /// How long a name and password that were right are believed without hashing again. A change of the password or of the
    /// user ends it at once.
    package var credentialLifetime = Duration.seconds(300)

    package init() {}
}
