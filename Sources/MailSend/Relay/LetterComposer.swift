package import FundCore

/// Writes a letter when it is sent, with what the store says then.
package protocol LetterComposer: Sendable {
    /// The message of a letter.
    ///
    /// - Parameter sender: the sender of all letters, by the configuration.
    /// - Throws: `MessageError` for what no letter can hold: the letter has failed then. After other errors the relay
    ///   tries it again later.
    func compose(_ letter: OutboxLetter, from sender: Correspondent) async throws -> ComposedLetter
}

/// The message of a letter, or why there is none.
package enum ComposedLetter: Sendable, Hashable {
    /// The program wrote it. The relay gives it its Message-ID, and no return path (RFC 5321 §4.5.5).
    case message(OutgoingMessage)
    /// A person wrote it.
    case written(OutgoingMessage, LetterEnvelope)
    /// The event that it was about is gone. The reason is for people, in English.
    case dropped(String)
}

/// The addresses by which servers pass on a letter that a person wrote (RFC 5321 §2.3.1).
package struct LetterEnvelope: Sendable, Hashable {
    /// The address to which reports about it go.
    package var returnPath: OutgoingAddress
    /// The recipient, as the person wrote the address.
    package var recipient: OutgoingAddress

    package init(returnPath: OutgoingAddress, recipient: OutgoingAddress) {
        (self.returnPath, self.recipient) = (returnPath, recipient)
    }
}
