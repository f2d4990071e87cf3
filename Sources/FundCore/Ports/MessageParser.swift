/// Parses messages outside this process, several at a time.
package protocol MessageParser: Sendable {
    /// Number of messages that can be parsed at the same time.
    var concurrency: Int { get }
    /// Messages will come soon: what takes time to start may be started. Does not wait for it.
    func warmUp()
    /// Runs `body` with a child of its own, on a thread that may block. Waits while all children are busy.
    func withWorker<Result: Sendable>(
        _ body: @escaping @Sendable (any ParseWorker) throws -> Result
    ) async throws -> Result
}

/// One child, for the time of one call of `withWorker`, on one thread.
package protocol ParseWorker: AnyObject {
    /// Announces the messages that will be parsed next, in their order, so that the child can begin with them. The
    /// attachments of the message parsed before can still be read. May do nothing, or take only the first of them.
    func prepare(_ messages: some Collection<SpooledMessage>, limits: ParseLimits)
    /// Parses a spooled message. A crash, a hang or too much memory in the child is a `.refused(.unparseable, …)`,
    /// not an error; errors are failures of this side (no child can be started).
    func parse(_ message: SpooledMessage, limits: ParseLimits) throws -> ParseResult
    /// Gives the decoded bytes of attachment `index` of the message parsed last, in order, in chunks. They have the
    /// digest that `parse` gave: throws at the end when they turn out to have another.
    func readAttachment(_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws
}

extension MessageParser {
    package func warmUp() {}
}

extension ParseWorker {
    package func prepare(_ messages: some Collection<SpooledMessage>, limits: ParseLimits) {}
}
