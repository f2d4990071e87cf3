import MailWatch

/// The login at a server beside the mailboxes.
struct ServerLogin: Sendable, Hashable {
    var user: String
    var credential: CredentialSource
}
