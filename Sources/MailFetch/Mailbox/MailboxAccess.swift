import FundCore

/// One configured mailbox: where it is, how to get in, and what to do with what was filed.
package struct MailboxAccess: Sendable {
    /// What becomes of the server's copy once a message is durable here.
    package enum After: Sendable, Hashable {
        case delete
        case move(folder: String)
        /// Sets this flag or keyword, such as `\Flagged` or `$Filed`.
        case flag(String)
        case keep
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
    /// A run that lasts longer ends with `runLimit`; what came is told to the server all the same. Nil: no limit.
    package var runLimit: Duration?
    /// A message that takes longer is left for the next run, as are those that are larger than what came of it. Nil: no limit.
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

    func after(isFiled: Bool) -> After { isFiled ? after : afterMisrouted ?? after }

    /// Everything that may become of a message.
    var afters: Set<After> { [after, afterMisrouted ?? after] }
}
