package import FundCore

/// The result of adding something to the configuration that was tried first: a mailbox, or the server for letters.
package enum SetupAnswer<Field: Sendable & Hashable>: Sendable, Hashable {
    /// A field cannot be used; nothing was tried.
    case wrong(Field)
    /// Another one is tried at this moment.
    case busy
    /// Who asked for it is no administrator any more; nothing was written.
    case forbidden
    /// The test failed; nothing was written.
    case failed([Finding])
    /// It is in the configuration under this name, and in use.
    case added(String, [Finding])
    /// The configuration was not changed.
    /// - Parameters:
    ///   - why: a sentence in English.
    ///   - lines: what to add there, without the password.
    case byHand(why: String, lines: String, [Finding])
}

/// The result of adding a mailbox.
package typealias MailboxAnswer = SetupAnswer<MailboxField>
/// The result of naming the server for letters.
package typealias LetterServerAnswer = SetupAnswer<LetterServerField>
