import FundCore
import Ingest
import MailFetch

/// What became of one run over one mailbox.
struct MailboxResult: Sendable {
    var mailbox: String
    var summary = RunSummary()
    /// Why the run could not be completed, in words for people; what the summary counts is durable all the same.
    var failure: CommandError?
    /// What is left on the server, as far as this run saw; nil when it saw nothing.
    var waiting: WaitingMail?
    /// The error behind `failure`.
    var error: (any Error)?
}
