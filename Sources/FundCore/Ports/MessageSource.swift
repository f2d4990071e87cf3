/// A source of raw messages: a mailbox on a server, or files.
package protocol MessageSource: Sendable {
    /// The next messages, one to `count`, as many as need no waiting; none at the end. Called by one task at a time.
    func next(atMost count: Int) async throws -> [PendingMessage]
    /// These messages are durable: only now may the source delete or move its copies.
    func acknowledge(_ messages: [StoredMessage]) async throws
    /// Called once after the last `acknowledge` of a run: waits until the source has carried out what was acknowledged,
    /// and throws when it was refused. Those messages then come again in the next run and are recognised as duplicates.
    func finish() async throws
}
