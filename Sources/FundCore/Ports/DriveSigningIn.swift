/// Signing in to stores on the stores' own pages (RFC 6749 §4.1). A person is led to such a page, which leads back with
/// a code, for which the store gives tokens.
package protocol DriveSigningIn: Sendable {
    /// The address of the store's page. Throws `DriveError` with `forbidden` for a kind that the administrators have
    /// not set up.
    func signInPage(of kind: DriveKind, _ request: DriveSignInRequest) throws -> String
    /// The settings of a drive, with the tokens that the store gave for a code. Throws `DriveError`: `login` for a code
    /// that the store refuses, `settings` where it refuses this program.
    func settings(of kind: DriveKind, _ answer: DriveSignInAnswer) async throws -> DriveSettings
    /// Whether both are signed in to one account; true where that is not known.
    func isSameAccount(_ one: DriveSettings, _ other: DriveSettings) -> Bool
}

/// One sign-in as a store is told of it.
package struct DriveSignInRequest: Sendable {
    /// A random text, which comes back with the code.
    package var state: String
    /// The digest of the verifier (RFC 7636 §4.2).
    package var challenge: String

    package init(state: String, challenge: String) { (self.state, self.challenge) = (state, challenge) }
}

/// The return from a store's page.
package struct DriveSignInAnswer: Sendable {
    /// The code, which is good once and for a short time.
    package var code: String
    /// The random text whose digest the store was given (RFC 7636 §4.1).
    package var verifier: String
    /// The host of the account's region, where the store names it.
    package var host: String?

    package init(code: String, verifier: String, host: String? = nil) {
        (self.code, self.verifier, self.host) = (code, verifier, host)
    }
}

/// The page of this server to which the pages of stores lead back.
package enum DriveSignInPath {
    package static let path = "/library/drives/sign-in"
}
