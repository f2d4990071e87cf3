package import MailConnection
package import FundCore

/// One configured mailbox: its address, the login, and what becomes of filed messages there.
package struct MailboxAccess: Sendable {
    /// Action on the server's copy once a message is durable here.
    package enum After: Sendable, Hashable {
        case delete
        case move(folder: String)
        /// Sets this flag or keyword, such as `\Flagged` or `$Filed`.
        case flag(String)
        case keep

        /// The message is in the mailbox as before.
        var leavesMessage: Bool {
            switch self {
            case .keep, .flag: true
            case .delete, .move: false
            }
        }

        /// The system flag that mail programs show as a star or a flag (RFC 3501 §2.3.2).
        package static let flagged = After.flag("\\Flagged")
    }

    /// The name in the configuration; `mailbox` of every reference.
    package var name: String
    package var address: MailServerAddress
    package var credentials: Credentials
    package var tls: TLSPolicy
    package var after: After
    /// For messages that are kept here but not filed (misrouted, rejected, or such a one again). Nil: as `after`.
    package var afterMisrouted: After?
    /// Larger messages are recorded but not fetched, and stay on the server.
    package var maxMessageBytes: Int64 = ParseLimits().maxMessageBytes
    package var deadlines = FetchDeadlines()
    /// A run that lasts longer ends with `runLimit`; what came is told to the server all the same. Nil: no limit.
    package var runLimit: Duration?
    /// A message that takes longer is left for the next run, as are larger ones than what came of it. Nil: no limit.
    package var messageLimit: Duration?
    package var transcript: Transcript?

    package init(
        name: String, address: MailServerAddress, credentials: Credentials, tls: TLSPolicy = .required(),
        after: After = .keep
    ) {
        self.name = name
        self.address = address
        self.credentials = credentials
        self.tls = tls
        self.after = after
    }

    func login(_ cancellation: Cancellation) -> CurlLogin {
        CurlLogin(
            endpoint: address.endpoint, dialect: MailboxDialect(address.scheme),
            identity: LoginIdentity(user: address.user, credentials: credentials), tls: tls,
            deadlines: deadlines.connection, cancellation: cancellation, transcript: transcript)
    }

    func after(isFiled: Bool) -> After { isFiled ? after : afterMisrouted ?? after }

    /// All that may become of a message.
    var afters: Set<After> { [after, afterMisrouted ?? after] }
}

/// Services of the program for a mailbox source.
package struct MailboxServices: Sendable {
    package var spool: SpoolDirectory
    package var ledger: any DeliveryLedger
    package var cancellation: Cancellation
    package var onNotice: @Sendable (MailboxNotice) -> Void
    /// Hears at each connection with TLS when the server's certificate expires.
    package var onCertificate: @Sendable (Timestamp) -> Void = { _ in }
    /// Hears that messages will come, mostly a moment before the first one. Must not block.
    package var onComingMail: @Sendable () -> Void = {}

    package init(
        spool: SpoolDirectory, ledger: any DeliveryLedger, cancellation: Cancellation = Cancellation(),
        onNotice: @escaping @Sendable (MailboxNotice) -> Void = { _ in }
    ) {
        self.spool = spool
        self.ledger = ledger
        self.cancellation = cancellation
        self.onNotice = onNotice
    }
}
