internal import MailConnection
internal import FundCore
package import Ingest

/// One run over several mailboxes at the same time.
package enum PollRun {
    /// Connections at a time: they wait for servers most of the time, and one that hangs must not hold up the others.
    package static let maxMailboxes = 16

    /// The results in the order of the mailboxes; those that were not begun when the run was cancelled are left out.
    package static func results(of mailboxes: [MailboxConfiguration], _ parts: PollingParts) async -> [MailboxResult] {
        await mailboxes.concurrentMap(atMost: maxMailboxes, until: { parts.cancellation.isCancelled }) { mailbox in
            await PolledMailbox(mailbox, parts).poll()
        }
    }

    /// The sum over all mailboxes. `seconds`: of the whole run, since mailboxes are polled at the same time.
    package static func total(_ results: [MailboxResult], seconds: Double) -> RunSummary {
        var total = RunSummary()
        for summary in results.map(\.summary) {
            total.seen += summary.seen
            total.failed += summary.failed
            total.bytes += summary.bytes
            total.outcomes.merge(summary.outcomes, uniquingKeysWith: +)
            total.reasons.merge(summary.reasons, uniquingKeysWith: +)
            total.wasInterrupted = total.wasInterrupted || summary.wasInterrupted
        }
        total.seconds = seconds
        return total
    }
}
