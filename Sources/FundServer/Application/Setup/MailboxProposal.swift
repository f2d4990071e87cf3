package import FundCore

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

/// The result of adding a mailbox.
package enum MailboxAnswer: Sendable, Hashable {
    /// A field cannot be used; nothing was tried.
    case wrong(MailboxField)
    /// Another one is tried at this moment.
    case busy
    /// Who asked for it is no administrator any more; nothing was written.
    case forbidden
    /// The test failed; nothing was written.
    case failed([Finding])
    /// It is in the configuration under this name, and watched.
    case added(String, [Finding])
    /// The configuration was not changed.
    /// - Parameters:
    ///   - why: a sentence in English.
    ///   - lines: what to add there, without the password.
    case byHand(why: String, lines: String, [Finding])
}

/// A field of the form that cannot be used as it is. The raw values are the fields' names.
package enum MailboxField: String, Sendable, CaseIterable {
    case name, host, port, user, password, folder, authServer = "auth_server", ownReceived = "own_received", authority
    /// The configuration has this account and folder already.
    case duplicate
}

/// Services of the program around the server for the set-up of a store.
package struct SetupParts: Sendable {
    /// Nil: the store had an administrator when the program was started.
    package var code: SetupCode?
    /// Tests a mailbox, and writes it into the configuration. The flag says that it is kept although the test fails.
    /// Asks whether it still may before it writes: the test takes seconds.
    package var addMailbox:
        @Sendable (MailboxProposal, _ isKeptAnyway: Bool, _ isAllowed: @Sendable () async -> Bool) async ->
            MailboxAnswer
    package var hasMailboxes: @Sendable () -> Bool

    /// Without a configuration that could be changed.
    package init() {
        addMailbox = { _, _, _ in .byHand(why: "This program was started without a configuration.", lines: "", []) }
        hasMailboxes = { true }
    }
}
