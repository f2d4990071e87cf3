package import FundCore

/// The parts of the store that the server needs.
package struct ServerStore: Sendable {
    package var accounts: any AccountStore
    package var library: any FileLibrary & MailLibrary
    package var administration: any Administration & Desk & HealthRegister
    package var mail: any KeptMailStore & MailboxRegister
    package var quarantine: any QuarantineRegister

    package init(
        accounts: any AccountStore, library: any FileLibrary & MailLibrary,
        administration: any Administration & Desk & HealthRegister,
        mail: any KeptMailStore & MailboxRegister, quarantine: any QuarantineRegister
    ) {
        self.accounts = accounts
        self.library = library
        self.administration = administration
        self.mail = mail
        self.quarantine = quarantine
    }
}
