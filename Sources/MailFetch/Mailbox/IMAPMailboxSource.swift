package import FundCore

/// The messages of one IMAP mailbox, and what becomes of them there once they are durable here.
///
/// May be run again and again, for a daemon: after `next` gave nil and `finish` returned, `waitForMail` waits on the same
/// connection, and the next `next` looks what is new. Its calls block on a queue of its own.
package actor IMAPMailboxSource: MessageSource {
    package enum Waited: Sendable {
        case newMail, nothing, cancelled
    }

    private let executor: QueueExecutor
    private let fetching: IMAPFetching
    private var chunks = MessageChunks()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    package init(_ access: MailboxAccess, in surroundings: MailboxSurroundings) {
        executor = QueueExecutor(label: "fundmail.mailbox.\(access.name)")
        fetching = IMAPFetching(access, surroundings)
    }

    /// Connects when there is no connection. None when all that was there at the beginning has been given, or when cancelled.
    /// Throws `FetchError`, and `SpoolError` when the spool cannot be written.
    package func next(atMost count: Int) throws -> [PendingMessage] {
        try chunks.next(atMost: count, hasMore: { fetching.hasMore }) {
            try FetchError.unwrapping { () throws(FetchError) in try fetching.next() }
        }
    }

    package func acknowledge(_ messages: [StoredMessage]) { fetching.acknowledge(messages) }

    package func finish() throws { try FetchError.unwrapping { () throws(FetchError) in try fetching.finish() } }

    /// The server that we are connected to tells of new mail by itself (RFC 2177).
    package var canIdle: Bool { fetching.canIdle }

    /// Waits for new mail: with IDLE where the server knows it and unless `idling` is false, else until `time` is over. Call it
    /// between two runs.
    package func waitForMail(atMost time: Duration, idling: Bool = true) throws -> Waited {
        try FetchError.unwrapping { () throws(FetchError) in try fetching.waitForMail(atMost: time, idling: idling) }
    }

    /// What the last run left on the server, as far as it saw; nil when nothing was listed yet.
    package func waitingMail() -> WaitingMail? { fetching.waitingMail }

    /// Logs out. Never fails: what had to be said was said in `finish`.
    package func close() { fetching.close() }
}
