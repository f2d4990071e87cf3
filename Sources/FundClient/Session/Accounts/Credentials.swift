public import Foundation

/// What proves to a server who asks. Never the password.
public struct Credentials: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
    /// A secret of one sign-in.
    public struct Token: Sendable, Hashable, Codable, CustomStringConvertible, CustomDebugStringConvertible {
        /// As the server gave them.
        public let characters: String
        /// When it ends unless it is used before, as far as is known here; nil for never.
        public var expiresAt: Date?

        /// Makes one of its parts.
        public init(_ characters: String, expiresAt: Date?) {
            self.characters = characters
            self.expiresAt = expiresAt
        }

        /// Without the secret, so that it cannot get into a log.
        public var description: String { "a token" }
        /// The same.
        public var debugDescription: String { description }
    }

    /// Of the web API.
    public var web: Token
    /// Of the mobile API; nil when the sign-in there did not succeed.
    public var mobile: Token?

    /// Makes one of its parts.
    public init(web: Token, mobile: Token?) {
        self.web = web
        self.mobile = mobile
    }

    /// For people and logs.
    public var description: String { mobile == nil ? "a web token" : "a web token and a mobile token" }
    /// The same.
    public var debugDescription: String { description }
}
