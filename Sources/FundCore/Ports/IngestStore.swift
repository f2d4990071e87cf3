/// The part of the store that the pipeline needs.
package protocol IngestStore: Sendable {
    /// On the same file system as the store.
    var spool: SpoolDirectory { get }
    /// The present users, addresses and funds. Cheap when nothing changed since the last call.
    func directory() throws -> RoutingDirectory
    /// The attempt to send the letter of a person of which an address is the return path; nil for another address, and
    /// for one that this store did not make.
    func attempt(ofReturnPath address: String) throws -> OutboxAttempt?
    /// Writes the raw message and each of its attachments that is needed and that the store does not hold. Blocks;
    /// called on many threads. `readAttachment` gives the bytes of attachment `index`.
    func stage(
        _ message: RoutedMessage,
        readAttachment: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws -> StagedMessage
    /// One durability barrier for all bytes of the batch, then one transaction. When it returns the batch survives a
    /// power cut; when it throws, no row of it exists. Results in the order of the batch.
    func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage]
    /// Gives up what was written for staged messages and what no row names. Only for messages that are still at their
    /// source, and not after an error that leaves open whether they were committed.
    func abandon(_ batch: [StagedMessage]) async
    /// No batch follows in this run; its source may still be busy. Time to tidy up.
    func settle() async
}

extension IngestStore {
    package func settle() async {}
}
