/// The place where a message was seen: a file, or a message on a server.
package struct SourceReference: Sendable, Hashable {
    /// The configured mailbox; nil for files.
    package var mailbox: String?
    /// Place in the mailbox: `uidvalidity/uid` or a UIDL; for files the path as found.
    package var place: String
    /// Bytes as the server announced; stored with the delivery, to recognise another message in this place.
    package var announcedBytes: Int64?
    /// The server announced another number of bytes than it sent, and sent the same bytes when asked again, so whether
    /// they are the whole message cannot be known. The message is taken in, and the server's copy is left as it is.
    package var hasSizeMismatch = false

    package init(mailbox: String? = nil, place: String, announcedBytes: Int64? = nil) {
        self.mailbox = mailbox
        self.place = place
        self.announcedBytes = announcedBytes
    }

    /// `source` of the JSON line.
    package var text: String { mailbox.map { "\($0)/\(place)" } ?? place }
}
