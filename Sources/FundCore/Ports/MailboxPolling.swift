/// The mailboxes that this program keeps polled.
package protocol MailboxPolling: Sendable {
    /// In the order of the configuration.
    var mailboxes: [String] { get }

    /// Certificates of mail servers by mailbox, as the last connections saw them since the program started.
    var certificates: [String: SeenCertificate] { get }

    /// The access tokens that logins used last, by the mailbox, since the program started; none for mailboxes with a
    /// password.
    var tokens: [String: SeenToken] { get }

    /// Has a run over this mailbox begin now, and returns without waiting for it. Nil for one that is not polled here.
    func pollNow(_ mailbox: String) -> PollStart?
}

/// The start of a run that was asked for.
package enum PollStart: Sendable, Hashable {
    /// It begins now.
    case begun
    /// One had begun already, and goes on: mail that came after it looked waits for the next.
    case underWay
}
