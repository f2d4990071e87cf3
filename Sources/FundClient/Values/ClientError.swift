/// Why a call failed.
public struct ClientError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Kinds of failures.
    public enum Code: String, Sendable, Hashable, Codable {
        /// No network, no such host, or nothing listens there.
        case unreachable
        /// The server could not prove who it is.
        case certificate
        case timedOut
        /// The connection ended before the response did.
        case interrupted
        case cancelled
        /// Signed out: the session ended, the password was changed, or the user was disabled.
        case unauthenticated
        /// Name or password is wrong.
        case wrongPassword
        /// The password is right, and a code of an authenticator app is asked for besides.
        case codeAsked
        /// The code is wrong, or was used before.
        case wrongCode
        case forbidden
        case notFound
        /// The name is taken, or the thing was changed elsewhere.
        case conflict
        /// It is not what it was when the caller saw it last (If-Match).
        case preconditionFailed
        /// The cursor is too old: begin anew.
        case outdated
        case tooLarge
        case noSpaceOnServer
        /// Too many requests at the moment.
        case busy
        case serverFault
        /// The store of a drive failed, or refuses what the server asks.
        case storeFault
        /// The bytes came and are not those that were promised, or the server has lost them.
        case damaged
        /// The server holds it back: malware was found in it, or it is not scanned yet.
        case quarantined
        /// The server does not understand the request; another try gives the same.
        case invalid
        /// The answer is not what such a server says.
        case protocolViolation
        /// Something else answers in the server's place: the page of a network that wants people to sign in, a proxy,
        /// or another server.
        case foreign
        /// A proxy before the server takes no body of that size.
        case proxyLimit
        case noSpaceHere
        /// A file of this machine was written to while it was sent.
        case changedHere
        /// A call of this machine's system failed.
        case local
    }

    /// Kind of failure.
    public var code: Code
    /// For people, in English: what the server or the system says.
    public var detail: String
    /// Wait that the server asks for before the next try.
    public var retryAfter: Duration?
    /// HTTP status, where there was a response.
    public var status: Int?
    /// The errno of the call of this machine that failed.
    public var systemCode: Int32?
    /// The call was repeated as far as that helps: the layers above pass the error on.
    var wasRetried = false

    /// Creates an error.
    public init(_ code: Code, _ detail: String, retryAfter: Duration? = nil, status: Int? = nil) {
        self.code = code
        self.detail = detail
        self.retryAfter = retryAfter
        self.status = status
    }

    /// Whether the call may succeed later without anything being done about it.
    public var isWorthRetrying: Bool {
        switch code {
        case .unreachable, .timedOut, .interrupted, .busy, .serverFault, .noSpaceOnServer, .changedHere, .foreign: true
        default: false
        }
    }

    /// Whether the failure may pass, if not soon: it takes signing in to a network, or setting a clock or a proxy
    /// right.
    var mayPass: Bool {
        switch code {
        case .unauthenticated, .wrongPassword, .codeAsked, .wrongCode, .forbidden, .notFound, .conflict, .invalid,
            .local,
            .cancelled:
            false
        default: true
        }
    }

    /// For people and logs.
    public var description: String { "\(code.rawValue): \(detail)" }
}
