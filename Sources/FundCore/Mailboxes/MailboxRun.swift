/// The result of one run over a mailbox.
package struct MailboxRun: Sendable, Hashable {
    package var startedAt: Timestamp
    /// Seconds, with their fraction.
    package var seconds: Double = 0
    /// Messages by what became of them.
    package var outcomes: [Outcome: Int] = [:]
    /// Messages whose bytes could not be had; they stay on the server.
    package var failed = 0
    package var bytes: Int64 = 0
    /// The reason for which the run could not be completed, for people and free of secrets; nil when it was.
    package var problem: String?
    /// Messages that are on the server and neither filed nor kept here, as far as the run saw.
    package var waiting = 0
    /// Time at which the oldest of them was first seen or received; nil when none waits or it is not known.
    package var oldestWaitingAt: Timestamp?

    package init(startedAt: Timestamp) { self.startedAt = startedAt }
}
