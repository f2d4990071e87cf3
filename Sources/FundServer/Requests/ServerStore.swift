package import FundCore

/// The parts of the store that the server needs.
package struct ServerStore: Sendable {
    package var accounts: any AccountStore
    package var library: any FileLibrary & MailLibrary
    package var administration: any Administration & Desk & HealthLog
    package var mail: any KeptMailStore & MailboxRegister

    package init(
        accounts: any AccountStore, library: any FileLibrary & MailLibrary,
        administration: any Administration & Desk & HealthLog,
        mail: any KeptMailStore & MailboxRegister
    ) {
        self.accounts = accounts
        self.library = library
        self.administration = administration
        self.mail = mail
    }
}
