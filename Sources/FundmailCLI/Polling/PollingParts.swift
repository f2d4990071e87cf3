import FundCore
import Ingest
import MailFetch

/// What all mailboxes of a run share.
struct PollingParts: Sendable {
    var store: any MailStore
    var parser: any MessageParser
    var configuration: Configuration
    var batchLimits = BatchLimits()
    /// Ends every wait; what was begun is finished and acknowledged first.
    var cancellation: Cancellation
    var trace: TraceFile?
}
