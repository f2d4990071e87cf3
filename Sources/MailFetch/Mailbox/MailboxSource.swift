package import MailConnection
package import FundCore

/// A mailbox as a source of messages, run after run: after `next` gave none and `finish` returned, `waitForMail` waits
/// for new mail, and the following `next` begins another run.
package protocol MailboxSource: MessageSource {
    /// Whether the connected server announces new mail (RFC 2177).
    var canIdle: Bool { get async }
    /// Waits between two runs, at most `time`, for new mail that a server announces, if `idling`. Throws
    /// `ConnectionError`.
    func waitForMail(atMost time: Duration, idling: Bool) async throws -> MailboxWait
    /// Mail that the last run left in the mailbox, as far as it saw; nil when nothing was listed yet.
    func waitingMail() async -> WaitingMail?
    /// Logs out. Never fails: `finish` has told the server what must be told.
    func close() async
}

/// How a wait for new mail ended.
package enum MailboxWait: Sendable {
    case newMail, nothing, cancelled
}

/// Messages that are on a server and neither filed nor kept here.
package struct WaitingMail: Sendable, Hashable {
    package var count: Int
    /// When the oldest of them came to the server, seconds since 1970; nil when none waits or the server does not say.
    package var oldestAt: Timestamp?

    package init(count: Int, oldestAt: Timestamp? = nil) {
        self.count = count
        self.oldestAt = oldestAt
    }
}

/// A report of a mailbox source that is no failure.
package enum MailboxNotice: Sendable, Hashable {
    /// A text that the server wants the user to read (RFC 3501 §7.1 `ALERT`).
    case alert(String)
    /// The mailbox cannot be changed: messages stay on the server and are remembered here.
    case readOnly
    /// The connection was lost; the run goes on with a new one.
    case reconnecting(ConnectionError.Code)
    /// The server numbers its messages anew (RFC 3501 §2.3.1.1): all of them are new ones from here on.
    case epochChanged
    /// Messages that were listed were gone before they could be fetched.
    case vanished(count: Int)
    /// Filed messages are marked deleted; without UIDPLUS, expunging would also remove what other clients marked.
    case leftMarkedDeleted(count: Int)
    /// Messages of another size than announced, each time they came: they are filed, and the server's copies stay.
    case sizeMismatch(count: Int)
    /// Messages that the server gives the same UIDL, or none (RFC 1939 §7): they are fetched in each run.
    case ambiguousIdentity(count: Int)
}
