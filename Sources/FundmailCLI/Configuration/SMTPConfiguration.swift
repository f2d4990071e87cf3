internal import MailConnection
import FundCore
import MailSend
import MailWatch

/// The server that letters are handed to.
struct SMTPConfiguration: Sendable, Hashable {
    var address: SubmissionAddress
    /// Nil: the server takes letters without a login.
    var login: ServerLogin?
    /// PEM file of a private certificate authority; nil: the system's authorities.
    var caFile: String?
    /// False only for `tls: off` on loopback.
    var usesTLS = true
    /// The sender of every letter, as recipients see it.
    var from: Correspondent
    /// The name of this machine for the server; nil: what it calls itself.
    var helloName: String?
    /// Limits of the letters that are queued.
    var limits = OutboxLimits.usual
    /// Limit of the files of a letter that a person writes, in bytes.
    var maxAttachmentBytes = LetterPolicy.usualAttachmentBytes
    /// Letters that one person sends within a day.
    var perPerson = LetterPolicy.usualPerDay

    /// Access to the server. Throws `CredentialError` when the secret cannot be read.
    ///
    /// - Parameter onToken: hears of each access token that a login is given, on the thread of the login.
    func access(
        cancellation: Cancellation, onToken: @escaping @Sendable (SeenToken) -> Void = { _ in }
    ) throws(CredentialError) -> SMTPAccess {
        var identity: LoginIdentity?
        if let login {
            let credentials = try login.credential.credentials(cancellation, onToken: onToken)
            identity = LoginIdentity(user: login.user, credentials: credentials)
        }
        var access = SMTPAccess(
            address: address, identity: identity, tls: usesTLS ? .required(caFile: caFile) : .off)
        access.helloName = helloName
        return access
    }
}
