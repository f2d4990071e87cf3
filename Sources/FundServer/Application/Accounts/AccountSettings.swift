package import FundCore

/// Settings of authentication.
package struct AccountSettings: Sendable {
    /// Cost of new password hashes; weaker ones are replaced at the next login.
    package var scrypt = ScryptParameters.standard
    /// Hashes computed at a time. With the standard cost each takes 128 MiB for a third of a second.
    var concurrentHashes = 2
    /// Logins that may wait for a hash; more are refused.
    var waitingHashes = 32
    var backOff = BackOff()
    /// Waits for codes behind a right password: six digits are few.
    var codeBackOff = BackOff.codes
    /// The people who must have a second factor.
    package var secondFactors: @Sendable () -> SecondFactorRule = { .none }
    /// Lifetime of a mobile token after its last use.
    package var mobileLifetime = Duration.seconds(3600)
    /// Lifetime of a token of the web API after its last use.
    package var webLifetime = Duration.seconds(12 * 3600)
    /// Time for which a verified name and password are not hashed again. A change of password or user ends it at once.
    var credentialLifetime = Duration.seconds(300)
}
