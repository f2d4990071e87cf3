package import FundCore

/// The store as the server needs it.
package typealias ServerStore = AccountStore & FileLibrary & MailLibrary & Administration & KeptMailStore
    & MailboxRegister
