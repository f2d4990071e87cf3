package import MailConnection
package import FundCore

/// The messages of one mailbox on a server, and what becomes of them there. Its calls block on a queue of its own.
package actor ServerMailbox: MailboxSource {
    private let executor: QueueExecutor
    private let fetching: any MailboxFetching
    private var chunks = MessageChunks()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Throws `badConfiguration` when the protocol cannot do what `access` wants done with filed messages.
    package init(_ access: MailboxAccess, in services: MailboxServices) throws(ConnectionError) {
        executor = QueueExecutor(label: "fundmail.mailbox.\(access.name)")
        fetching =
            access.address.scheme.isIMAP
            ? IMAPFetching(access, services) : try POP3Fetching(access, services)
    }

    /// Connects when there is no connection. None when all messages of the beginning have been given, or when
    /// cancelled. Throws `ConnectionError`, `DiskError` when the spool cannot be written, and what the ledger throws.
    package func next(atMost count: Int) throws -> [PendingMessage] {
        try chunks.next(atMost: count, hasMore: { fetching.hasMore }) {
            try Self.unwrapping { () throws(ConnectionError) in try fetching.next() }
        }
    }

    package func acknowledge(_ messages: [StoredMessage]) { fetching.acknowledge(messages) }

    /// Throws `commandRefused` when the server does not do what it was told with its copies.
    package func finish() throws { try Self.unwrapping { () throws(ConnectionError) in try fetching.finish() } }

    package var canIdle: Bool { fetching.canIdle }

    package func waitForMail(atMost time: Duration, idling: Bool = true) throws -> MailboxWait {
        try Self.unwrapping { () throws(ConnectionError) in try fetching.waitForMail(atMost: time, idling: idling) }
    }

    package func waitingMail() -> WaitingMail? { fetching.waitingMail }

    package func close() { fetching.close() }

    /// Errors of the spool and of the store as themselves: the pipeline and the interface know them.
    private static func unwrapping<Result>(_ body: () throws(ConnectionError) -> Result) throws -> Result {
        do {
            return try body()
        } catch {
            if error.code == .spool, let cause = error.underlying { throw cause }
            throw error
        }
    }
}
