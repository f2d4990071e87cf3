public import Foundation

/// What proves to a server who asks. Never the password.
public struct Credentials: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A secret of one sign-in.
    public struct Token: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
        public let characters: String
        /// When it ends unless it is used before, as far as is known here; nil for never.
        public var expiresAt: Date?

        public init(_ characters: String, expiresAt: Date?) {
            self.characters = characters
            self.expiresAt = expiresAt
        }

        /// Without the secret, so that it cannot get into a log.
        public var description: String { "a token" }
        public var debugDescription: String { description }
    }

    /// Of the web API.
    public var web: Token
    /// Of the mobile API; nil when the sign-in there did not succeed.
    public var mobile: Token?

    public init(web: Token, mobile: Token?) {
        self.web = web
        self.mobile = mobile
    }

    public var description: String { mobile == nil ? "a web token" : "a web token and a mobile token" }
    public var debugDescription: String { description }
}
