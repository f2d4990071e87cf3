package import FundCore

/// The store as the server uses it.
package typealias ServerStore = AccountStore & FileLibrary & MailLibrary & Administration & KeptMailStore
    & MailboxRegister
