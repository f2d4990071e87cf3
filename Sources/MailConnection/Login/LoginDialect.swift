/// The lines by which one protocol logs in. libcurl speaks it; this side only listens.
package protocol LoginDialect: Sendable {
    /// A command with only those words that cannot be secrets.
    func withoutSecrets(_ command: String) -> String
    /// The method by which a command logs in that `withoutSecrets` gave; nil for a command that does not.
    func method(of command: String) -> LoginMethod?
    /// Whether the server's line may hold a challenge, or repeat what was sent.
    func isChallenge(_ line: String) -> Bool
    /// Capabilities that the server has named once it has sent this line, in capitals; nil for a line that says nothing
    /// about them.
    ///
    /// - Parameter known: those that it has named before.
    func capabilities(in line: String, after known: Set<String>) -> Set<String>?
    /// Whether the server asks for no login.
    func isPreauthenticated(_ greeting: String) -> Bool
    /// The reason that no server of this protocol greets like that; nil when one may.
    func problem(with greeting: String) -> String?
    /// The reason that the server refuses, by its line; nil when that does not say.
    func hint(in line: String) -> ServerHint?
}

/// A way to log in.
package struct LoginMethod: Sendable, Hashable {
    /// False for a method for which the server must know more of this user (GSSAPI, a challenge).
    package var usesPassword: Bool
    /// A challenge that the server can only check with the password itself (RFC 1939 §7).
    package var isAPOP: Bool
    /// The user and the password are in commands that carry only ASCII.
    package var isASCII: Bool

    package init(usesPassword: Bool, isAPOP: Bool, isASCII: Bool) {
        self.usesPassword = usesPassword
        self.isAPOP = isAPOP
        self.isASCII = isASCII
    }
}
