package import Ingest
package import MailFetch

/// Outcome of one run over one mailbox.
package struct MailboxResult: Sendable {
    package var mailbox: MailboxConfiguration
    package var summary = RunSummary()
    /// Why the run could not be completed; what the summary counts is durable all the same.
    package var error: (any Error)?
    /// Mail that is left on the server, as far as this run saw; nil when it saw nothing.
    package var waiting: WaitingMail?

    package init(mailbox: MailboxConfiguration, error: (any Error)? = nil) {
        self.mailbox = mailbox
        self.error = error
    }
}

/// An event in a mailbox while it is polled or watched.
package enum MailboxEvent: Sendable {
    case message(IngestEvent)
    case notice(MailboxNotice)
    /// The mailbox stands at another address than in earlier runs: its messages count as new.
    case addressChanged
    /// A run of `poll` ended.
    case polled(MailboxResult)
    /// A run of the watch loop succeeded. `isFirst`: since the start, or after a failure.
    case succeeded(RunSummary, isFirst: Bool)
    /// The server refuses what should become of its copies, all of which are durable here. Reported once an hour.
    case copiesRefused(MailboxResult)
    /// A run of the watch loop failed; the next begins after `pause`.
    case failed(MailboxResult, pause: Duration, isTemporary: Bool)
    /// The connection was lost between two runs.
    case connectionLost(any Error)
}

/// A listener to the runs over one mailbox: the interface of a program.
package protocol MailboxObserver: Sendable {
    /// Called by one task at a time.
    func observe(_ event: MailboxEvent)
    /// One sentence for people that is stored with the run, free of secrets; nil when the run was completed.
    func problem(of result: MailboxResult) -> String?
}
