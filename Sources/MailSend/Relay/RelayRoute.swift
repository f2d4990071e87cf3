package import MailConnection

/// The server that the relay hands letters to, and the words about it.
package struct RelayRoute: Sendable {
    /// The sender of every letter.
    package var sender: Correspondent
    /// Gives the access for a new connection. It reads the secret of the login each time, since passwords and tokens
    /// change. May block.
    package var access: @Sendable (Cancellation) throws -> SMTPAccess
    /// A sentence for people about a failure: what it means, and what to do.
    package var advice: @Sendable (any Error) -> String

    package init(
        sender: Correspondent, access: @escaping @Sendable (Cancellation) throws -> SMTPAccess,
        advice: @escaping @Sendable (any Error) -> String
    ) {
        (self.sender, self.access, self.advice) = (sender, access, advice)
    }
}
