package import FundCore

/// The parts of the store that the server needs.
package struct ServerStore: Sendable {
    package var accounts: any AccountStore
    package var library: any FileLibrary & MailLibrary
    /// Archived funds, to be looked at one by one.
    package var archive: any FundLibrary & FileReading & MailLibrary
    package var administration: any Administration & Desk & HealthRegister
    package var mail: any KeptMailStore & MailboxRegister
    package var quarantine: any QuarantineRegister
    package var outbox: any OutboxRegister
    package var letters: any LetterStore
    package var links: any ShareLinkStore
    package var contacts: any ContactStore
    package var news: any NewsLibrary
    /// Nil where no drives are kept.
    package var drives: (any DriveStore & DriveWatchStore)?
    /// Nil where no webhooks are kept.
    package var webhooks: (any WebhookStore)?

    package init(
        accounts: any AccountStore, library: any FileLibrary & MailLibrary,
        archive: any FundLibrary & FileReading & MailLibrary,
        administration: any Administration & Desk & HealthRegister,
        mail: any KeptMailStore & MailboxRegister, quarantine: any QuarantineRegister, outbox: any OutboxRegister,
        letters: any LetterStore, links: any ShareLinkStore, contacts: any ContactStore, news: any NewsLibrary,
        drives: (any DriveStore & DriveWatchStore)? = nil, webhooks: (any WebhookStore)? = nil
    ) {
        self.accounts = accounts
        self.library = library
        self.archive = archive
        self.administration = administration
        self.mail = mail
        self.quarantine = quarantine
        self.outbox = outbox
        self.letters = letters
        self.links = links
        self.contacts = contacts
        self.news = news
        self.drives = drives
        self.webhooks = webhooks
    }
}
