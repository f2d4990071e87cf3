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
