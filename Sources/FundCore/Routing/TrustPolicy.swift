/// The proof that a `From` field names the real sender.
package enum TrustPolicy: Sendable, Hashable {
    /// An administrator handed the message over (replay), or `require: none` stands in the configuration.
    case vouched
    /// An `Authentication-Results` field (RFC 8601) of this server says `dmarc=pass` for the sender's domain. For
    /// senders of the submission domains (lower-case A-labels) its `auth=pass` counts, too: they log in to it.
    case dmarc(authservID: AuthservID, ownReceivedFields: Int, submissionDomains: [String] = [])

    /// The way to know the server's own `Authentication-Results` fields.
    package enum AuthservID: Sendable, Hashable {
        case named(String)
        /// Exchange Online writes no authserv-id: only the topmost field counts, and only if it has none.
        case topmostWithoutID
    }
}
