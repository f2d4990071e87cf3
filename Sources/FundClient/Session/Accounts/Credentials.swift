public import Foundation

/// Tokens that authenticate an account. Never the password.
public struct Credentials: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A secret of one sign-in.
    public struct Token: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
        /// Text of the token.
        public let characters: String
        /// When it ends unless it is used before, as far as is known here; nil for never.
        public var expiresAt: Date?

        /// Creates a token; nil for one that does not expire.
        public init(_ characters: String, expiresAt: Date?) {
            self.characters = characters
            self.expiresAt = expiresAt
        }

        /// Without the secret, so that it cannot get into a log.
        public var description: String { "a token" }
        /// Description for debuggers, without the secret.
        public var debugDescription: String { description }
    }

    /// Token of the web API.
    public var web: Token
    /// Token of the mobile API; nil when the sign-in there did not succeed.
    public var mobile: Token?

    /// Creates the credentials of an account.
    public init(web: Token, mobile: Token?) {
        self.web = web
        self.mobile = mobile
    }

    /// For people and logs.
    public var description: String { mobile == nil ? "a web token" : "a web token and a mobile token" }
    /// Description for debuggers, without the secret.
    public var debugDescription: String { description }
}
