package import FundCore

/// The messages of a POP3 mailbox. What is deleted there is gone only after `finish`, which logs out (RFC 1939 §6); the next
/// `next` connects again.
package actor POP3MailboxSource: MessageSource {
    private let executor: QueueExecutor
    private let fetching: POP3Fetching
    private var chunks = MessageChunks()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Throws `badConfiguration` when messages are to be moved or flagged: POP3 can only delete or keep.
    package init(_ access: MailboxAccess, in surroundings: MailboxSurroundings) throws(FetchError) {
        guard access.afters.isSubset(of: [.delete, .keep]) else {
            throw FetchError(.badConfiguration, during: "opening the mailbox", "POP3 can only delete or keep")
        }
        executor = QueueExecutor(label: "fundmail.mailbox.\(access.name)")
        fetching = POP3Fetching(access, surroundings)
    }

    /// Connects when there is no connection. None when all that was there at the beginning has been given, or when cancelled.
    /// Throws `FetchError`, and `SpoolError` when the spool cannot be written.
    package func next(atMost count: Int) throws -> [PendingMessage] {
        try chunks.next(atMost: count, hasMore: { fetching.hasMore }) {
            try FetchError.unwrapping { () throws(FetchError) in try fetching.next() }
        }
    }

    package func acknowledge(_ messages: [StoredMessage]) { fetching.acknowledge(messages) }

    /// What the last run left on the server, as far as it saw; nil when nothing was listed yet.
    package func waitingMail() -> WaitingMail? { fetching.waitingMail }

    /// Deletes what was acknowledged and logs out. Throws `commandRefused` when the server did not delete.
    package func finish() throws { try FetchError.unwrapping { () throws(FetchError) in try fetching.finish() } }
}

extension FetchError {
    /// The file system's errors as themselves: the pipeline and the command line know them.
    static func unwrapping<Result>(_ body: () throws(FetchError) -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            if error.code == .spool, let cause = error.underlying { throw cause }
            throw error
        }
    }
}
