package import MailConnection
package import FundCore
package import MailFetch

/// One account and folder that is polled.
package struct MailboxConfiguration: Sendable, Hashable {
    /// Names it in commands, reports and rows.
    package var name: String
    package var server: MailServerAddress
    package var credential: CredentialSource
    /// PEM file of a private certificate authority; nil: the system's authorities.
    package var caFile: String?
    /// False only for `tls: off` on loopback.
    package var usesTLS = true
    package var after = MailboxAccess.After.keep
    /// For mail that was kept but not filed.
    package var afterMisrouted = MailboxAccess.After.keep
    /// Between two looks of the watch loop, where the server does not announce new mail.
    package var intervalSeconds = 60
    /// Limit of one run of `poll` over this mailbox.
    package var runLimitSeconds = 1800
    package var usesIdle = true
    package var trust: TrustPolicy
    /// For senders who made no choice of their own.
    package var receipts = ReceiptChoice.off

    package init(name: String, server: MailServerAddress, credential: CredentialSource, trust: TrustPolicy) {
        self.name = name
        self.server = server
        self.credential = credential
        self.trust = trust
    }

    /// The rules for its mail.
    /// - Parameter common: those that hold for all mailboxes.
    package func policy(_ common: RoutingPolicy) -> RoutingPolicy {
        var policy = common.trusting(trust)
        policy.receipts = receipts
        return policy
    }

    /// Access for a source or probe of the mailbox. Throws `CredentialError` when its secrets cannot be read.
    ///
    /// - Parameter onToken: hears of each access token that a login is given, on the thread of the login.
    package func access(
        limits: ParseLimits, cancellation: Cancellation, onToken: @escaping @Sendable (SeenToken) -> Void = { _ in }
    ) throws(CredentialError) -> MailboxAccess {
        var access = MailboxAccess(
            name: name, address: server, credentials: try credential.credentials(cancellation, onToken: onToken),
            tls: usesTLS ? .required(caFile: caFile) : .off, after: after)
        access.afterMisrouted = afterMisrouted
        access.maxMessageBytes = limits.maxMessageBytes
        return access
    }
}
