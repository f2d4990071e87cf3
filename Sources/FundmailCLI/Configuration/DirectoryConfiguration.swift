internal import MailConnection
import MailWatch

/// The place from which the company's directory of people is read.
enum DirectoryConfiguration: Sendable, Hashable {
    /// A file of vCard.
    case file(String)
    /// An address book of another server, by CardDAV.
    case server(CardServerConfiguration)

    /// Nil for a file, and for a server without one.
    var login: ServerLogin? { if case .server(let server) = self { server.login } else { nil } }
}

/// Another server's address book.
struct CardServerConfiguration: Sendable, Hashable {
    var address: WebAddress
    /// Nil: the server shows the address book without a login.
    var login: ServerLogin?
    /// PEM file of a private certificate authority; nil: the system's authorities.
    var caFile: String?

    /// The login with its secret. Throws `CredentialError` when that cannot be read.
    func identity(_ cancellation: Cancellation) throws(CredentialError) -> LoginIdentity? {
        guard let login else { return nil }
        return LoginIdentity(user: login.user, credentials: try login.credential.credentials(cancellation))
    }
}
