/// A mailbox as an administrator describes it in a browser, before it is known to work.
package struct MailboxProposal: Sendable {
    /// Names it in the configuration; empty: made from the user.
    package var name = ""
    /// `imaps`, `imap`, `pop3s` or `pop3`.
    package var scheme = "imaps"
    package var host = ""
    /// 1...65535; nil is the protocol's own.
    package var port: Int?
    package var user = ""
    package var password = ""
    /// In Unicode, with `/` between levels; empty is INBOX.
    package var folder = ""
    /// Whether a mail server has to vouch for senders; false believes every `From` field.
    package var requiresProof = true
    /// How that server calls itself in `Authentication-Results`; empty: as the host.
    package var authServer = ""
    /// How many `Received` fields own servers write above that field, 0...20.
    package var ownReceivedFields = 0
    /// Certificate of a private authority, PEM; empty for the system's.
    package var authority = ""

    package init() {}
}

/// A field of the form that cannot be used as it is. The raw values are the fields' names.
package enum MailboxField: String, Sendable, CaseIterable {
    case name, host, port, user, password, folder, authServer = "auth_server", ownReceived = "own_received", authority
    /// The configuration has this account and folder already.
    case duplicate
}
