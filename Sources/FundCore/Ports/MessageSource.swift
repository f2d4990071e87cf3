/// A message that a source offers. Its bytes need not be in memory or on disk before `spool` is called.
package struct PendingMessage: Sendable {
    package var reference: SourceReference
    /// Size in bytes, where the source knows it before `spool`; for progress and for refusing without download.
    package var expectedBytes: Int64?
    /// Set when the source refuses the message without fetching it: `spool` then gives its header or nothing, and the
    /// message is recorded with this reason. It stays at its source.
    package var refusal: Refusal?
    /// Time at which a message came first that is filed again from the log; nil for one that comes now.
    package var receivedAt: Timestamp?
    /// The rules for this message; nil for those of the run.
    package var policy: RoutingPolicy?
    /// A defect that the source found; nil for none.
    package var defect: Defect?
    /// Messages that the source still has behind it; nil where it does not know.
    package var left: Int?
    /// Writes the raw bytes into the spool. Called once, on a thread that may block. Throws when the bytes cannot be
    /// read: the message then counts as failed and stays at its source, and the run goes on with the next one.
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
    /// The next messages, one to `count`, as many as need no waiting; none at the end. Called by one task at a time.
    func next(atMost count: Int) async throws -> [PendingMessage]
    /// These messages are durable: only now may the source delete or move its copies.
    func acknowledge(_ messages: [StoredMessage]) async throws
    /// Called once after the last `acknowledge` of a run: waits until the source has carried out what was acknowledged,
    /// and throws when it was refused. Those messages then come again in the next run and are recognised as duplicates.
    func finish() async throws
}
