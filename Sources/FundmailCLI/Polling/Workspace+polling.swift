import FundStore
import MailFetch
import MailParse
import MailWatch

extension Workspace {
    /// What runs over mailboxes share. Events go to `output` where there is one, else to the log.
    func pollingParts(
        _ store: FundStore, _ parser: ParserPool, until cancellation: Cancellation, trace: TraceFile?,
        output: PollOutput? = nil
    ) -> PollingParts {
        var parts = PollingParts(
            store: store.mail, parser: parser, rules: configuration.pollingRules, cancellation: cancellation
        ) { MailboxLog($0, output: output) }
        parts.batchLimits = DebugSwitches.batchLimits()
        if let trace { parts.transcript = { trace.transcript(of: $0) } }
        return parts
    }
}

extension Configuration {
    var pollingRules: PollingRules { PollingRules(routing: vouchedPolicy, limits: limits) }
}
