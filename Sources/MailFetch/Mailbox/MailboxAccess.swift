package import Ingest

/// One configured mailbox: where it is, how to get in, and what to do with what was filed.
package struct MailboxAccess: Sendable {
    /// What becomes of the server's copy once a message is durable here.
    package enum After: Sendable, Hashable {
        case delete
        case move(folder: String)
        /// Sets this flag or keyword, such as `\Flagged` or `$Filed`.
        case flag(String)
        case keep

        /// They are in the mailbox in every later run.
        var leavesMessages: Bool {
            switch self {
            case .flag, .keep: true
            case .delete, .move: false
            }
        }
    }

    /// The name in the configuration; `mailbox` of every reference.
    package var name: String
    package var address: MailServerAddress
    package var credentials: Credentials
    package var tls: TLSPolicy
    package var after: After
    /// For messages that are kept here but not filed: misrouted, rejected, or a repetition of such a one. Nil: as `after`.
    package var afterMisrouted: After?
    /// Larger messages are recorded but not fetched, and stay on the server.
    package var maxMessageBytes: Int64 = ParseLimits().maxMessageBytes
    package var deadlines = FetchDeadlines()
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

    func after(isFiled: Bool) -> After { isFiled ? after : afterMisrouted ?? after }

    /// Everything that may become of a message.
    var afters: Set<After> { [after, afterMisrouted ?? after] }
}

/// What a mailbox source has to tell that is no failure.
package enum MailboxNotice: Sendable, Hashable {
    /// The server wants the user to read this (RFC 3501 §7.1 `ALERT`).
    case alert(String)
    /// The mailbox cannot be changed: messages stay on the server and are remembered here.
    case readOnly
    /// The line dropped; it goes on with a new one.
    case reconnecting(FetchError.Code)
    /// The server numbers its messages anew (RFC 3501 §2.3.1.1): all of them are new ones from here on.
    case epochChanged(from: UIDValidity, to: UIDValidity)
    /// Messages that were listed were gone before they could be fetched.
    case vanished(count: Int)
    /// Filed messages are marked deleted, but to expunge them would remove what others marked too (no UIDPLUS).
    case leftMarkedDeleted(count: Int)
    /// The server gives some messages the same identity, or none (RFC 1939 §7): they are fetched each time.
    case ambiguousIdentity(count: Int)
}

/// What a mailbox source needs from this side.
package struct MailboxSurroundings: Sendable {
    package var spool: SpoolDirectory
    package var ledger: any DeliveryLedger
    package var cancellation: Cancellation
    package var onNotice: @Sendable (MailboxNotice) -> Void

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
