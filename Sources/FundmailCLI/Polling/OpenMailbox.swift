import FundCore
import MailWatch
import MailFetch

/// The source of one mailbox, of either protocol.
enum OpenMailbox: Sendable {
    case imap(IMAPMailboxSource)
    case pop3(POP3MailboxSource)

    /// With IDLE the folder is listed this often all the same: a line can be dead without anybody noticing.
    private static let safetyPeriod = Duration.seconds(300)
    /// Servers and firewalls drop a line on which nothing is said for long; a new one costs little then.
    private static let longestIdleConnection = Duration.seconds(240)

    init(_ access: MailboxAccess, in surroundings: MailboxSurroundings) throws {
        self =
            access.address.scheme.isIMAP
            ? .imap(IMAPMailboxSource(access, in: surroundings))
            : .pop3(try POP3MailboxSource(access, in: surroundings))
    }

    var messages: any MessageSource {
        switch self {
        case .imap(let source): source
        case .pop3(let source): source
        }
    }

    /// Waits for mail between two runs, for about `interval`: longer where the server tells of new mail by itself and
    /// `idling` is wanted. True when the server told of some. Throws when the line dropped meanwhile.
    func wait(_ interval: Duration, idling: Bool, _ cancellation: Cancellation) async throws -> Bool {
        let jittered = interval * Double.random(in: Backoff.jitter)
        guard case .imap(let source) = self else {
            await cancellation.pause(for: jittered)
            return false
        }
        let isIdling = idling ? await source.canIdle : false
        if !isIdling, interval > Self.longestIdleConnection {
            await source.close()
            await cancellation.pause(for: jittered)
            return false
        }
        let time = isIdling ? max(jittered, Self.safetyPeriod) : jittered
        return try await source.waitForMail(atMost: time, idling: isIdling) == .newMail
    }

    func waitingMail() async -> WaitingMail? {
        switch self {
        case .imap(let source): await source.waitingMail()
        case .pop3(let source): await source.waitingMail()
        }
    }

    /// Logs out.
    func close() async {
        // POP3 did at the end of the run: only that makes its deletions count.
        if case .imap(let source) = self { await source.close() }
    }
}
