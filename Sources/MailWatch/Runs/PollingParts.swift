package import MailConnection
package import FundCore
package import Ingest
package import MailFetch

/// The store as runs need it.
package typealias PollingStore = DeliveryLedger & IngestStore & MailboxRegister

/// Parts that all mailboxes of a program share.
package struct PollingParts: Sendable {
    package var store: any PollingStore
    package var parser: any MessageParser
    package var rules: PollingRules
    package var batchLimits = BatchLimits()
    /// The command that runs, for others that want one of its mailboxes.
    package var holder = "poll"
    /// Ends every wait; what was begun is finished and acknowledged first.
    package var cancellation: Cancellation
    /// Makes the transcript of a mailbox by its name; nil: what is said to servers is not written down.
    package var transcript: (@Sendable (String) -> Transcript)?
    /// Hears of the certificate of a mailbox's server, when it expires, at each connection; by the mailbox's name.
    package var onCertificate: @Sendable (String, Timestamp) -> Void = { _, _ in }
    /// Hears of each access token that a login is given; by the mailbox's name.
    package var onToken: @Sendable (String, SeenToken) -> Void = { _, _ in }
    /// Makes the source of a mailbox, which connects when it is run.
    package var source: @Sendable (MailboxAccess, MailboxServices) throws -> any MailboxSource = {
        try ServerMailbox($0, in: $1)
    }
    /// Makes the observer of one mailbox.
    package var observer: @Sendable (MailboxConfiguration) -> any MailboxObserver

    package init(
        store: any PollingStore, parser: any MessageParser, rules: PollingRules, cancellation: Cancellation,
        observer: @escaping @Sendable (MailboxConfiguration) -> any MailboxObserver
    ) {
        self.store = store
        self.parser = parser
        self.rules = rules
        self.cancellation = cancellation
        self.observer = observer
    }
}

/// The part of the configuration that holds for all mailboxes. It may change while mailboxes are watched.
package struct PollingRules: Sendable, Hashable {
    /// Its trust and its receipts are replaced by those of the mailbox.
    package var routing: RoutingPolicy
    package var limits: ParseLimits
    /// Nil: no sender is told what becomes of a message.
    package var receipts: ReceiptPolicy?

    package init(routing: RoutingPolicy, limits: ParseLimits, receipts: ReceiptPolicy? = nil) {
        self.routing = routing
        self.limits = limits
        self.receipts = receipts
    }
}
