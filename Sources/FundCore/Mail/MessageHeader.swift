/// The header of a message, decoded, as far as routing, rows and reports need it.
package struct MessageHeader: Sendable, Hashable {
    /// One for each `From` field, in order. A message should have one field with one mailbox.
    package var from: [AddressField] = []
    package var to: [NamedAddress] = []
    package var cc: [NamedAddress] = []
    /// The people to whom the author wants answers to go; empty for the author.
    package var replyTo: [NamedAddress] = []
    /// One for each `Subject` field, in order, unfolded and decoded.
    package var subjects: [String] = []
    /// Seconds since 1970, nil when absent or unreadable.
    package var date: Timestamp?
    /// Without angle brackets.
    package var messageID: String?
    /// Message-IDs of `In-Reply-To` and `References`, without angle brackets.
    package var references: [String] = []
    package var automatic = AutomaticMarks()
    package var trace: [TraceField] = []
    /// Recipients of the envelope, as servers on the way wrote them: `Delivered-To`, `X-Original-To`, `Envelope-To` and
    /// their like. Anybody may have written them.
    package var envelopeRecipients: [String] = []
    /// The service that passed the message on, as far as the header tells; see `ParsedMessage.relay`.
    package var relay: RelayedMail?

    package init() {}

    /// The one that is shown: the first.
    package var subject: String? { subjects.first }
}
