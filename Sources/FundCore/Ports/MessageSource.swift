/// Where a message was seen: a file, or a message on a server.
package struct SourceReference: Sendable, Hashable {
    /// The configured mailbox; nil for files.
    package var mailbox: String?
    /// Its place in the mailbox: `uidvalidity/uid` or a UIDL; for files the path as found.
    package var place: String
    /// Bytes, as the server announced them: remembered with the delivery, to tell another message in the same place.
    package var announcedBytes: Int64?
    /// The server announces another number of bytes than it gives, and gives the same ones when it is asked again: whether they are the
    /// message cannot be known. They are taken in, and the server's copy is left alone.
    package var hasSizeMismatch = false

    package init(mailbox: String? = nil, place: String, announcedBytes: Int64? = nil) {
        self.mailbox = mailbox
        self.place = place
        self.announcedBytes = announcedBytes
    }

    /// `source` of the JSON line.
    package var text: String { mailbox.map { "\($0)/\(place)" } ?? place }
}

/// A message that a source offers. Nothing of it need be in memory or even on disk before `spool` is called.
package struct PendingMessage: Sendable {
    package var reference: SourceReference
    /// Bytes, where the source knows them beforehand; for progress and for refusing without download.
    package var expectedBytes: Int64?
    /// Set when the source refuses the message without having it: then `spool` gives what there is of it (its header, or
    /// nothing), and the message is recorded with this reason. It stays at its source, whatever happens to others.
    package var refusal: Refusal?
    /// Writes the raw bytes into the spool. Called once, on a thread that may block. Throws when the bytes cannot be had:
    /// the message then counts as failed, stays where it is, and the next one flows.
    package var spool: @Sendable (SpoolDirectory) throws -> SpooledMessage

    package init(
        reference: SourceReference, expectedBytes: Int64? = nil, refusal: Refusal? = nil,
        spool: @escaping @Sendable (SpoolDirectory) throws -> SpooledMessage
    ) {
        self.reference = reference
        self.expectedBytes = expectedBytes
        self.refusal = refusal
        self.spool = spool
    }
}

/// Where raw messages come from: a mailbox on a server, or files.
package protocol MessageSource: Sendable {
    /// The next messages, at least one and at most `count`, as many as there are without waiting; none at the end. Called by
    /// one task at a time.
    func next(atMost count: Int) async throws -> [PendingMessage]
    /// Called after the transaction that holds these messages is durable: only now may the source let go of its copies.
    func acknowledge(_ messages: [StoredMessage]) async throws
    /// Called once after the last `acknowledge` of a run: waits until the source has let go of what it was told, and throws
    /// when it refused. Nothing is lost then: those messages come again and are recognised.
    func finish() async throws
}

extension MessageSource {
    package func finish() async throws {}
}
