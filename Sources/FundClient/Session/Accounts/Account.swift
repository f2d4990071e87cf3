/// A user of a server: who is signed in, and where.
public struct Account: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Server of the account.
    public let server: ServerAddress
    /// The user's main address.
    public let email: String
    /// Whose account it is.
    public let user: UserID

    /// Creates the account of a user on a server.
    public init(server: ServerAddress, email: String, user: UserID) {
        self.server = server
        self.email = email
        self.user = user
    }

    /// Text that tells several accounts apart: `ann@example.com@https://funds.example.com`.
    public var description: String { "\(email)@\(server)" }

    /// A name for the files of the account: the same for the same user of the same server, and safe on all systems.
    public var key: String {
        let port = server.isEncrypted ? "\(server.port)" : "\(server.port)-plain"
        let host = server.host.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-") ? $0 : "_" }
        return "\(String(host))-\(port)-\(user)"
    }
}

/// Who can sign in.
public struct User: Sendable, Hashable, Codable, Identifiable {
    /// Id on the server; never reused.
    public var id: UserID
    /// The main address.
    public var email: String
    /// Full name.
    public var name: String?
    /// May not sign in.
    public var isDisabled: Bool
    /// May do what administrators do.
    public var isAdministrator: Bool
}

/// Id of a user.
public typealias UserID = Identifier<User>
