internal import FundCore
package import Ingest
internal import MailFetch

/// One run over several mailboxes at the same time.
package struct PollRun: Sendable {
    /// Connections at a time: they wait for servers most of the time, and one that hangs must not hold up the others.
    package static let maxMailboxes = 16

    private let parts: PollingParts
    private let mailboxes: [MailboxConfiguration]

    package init(parts: PollingParts, mailboxes: [MailboxConfiguration]) {
        self.parts = parts
        self.mailboxes = mailboxes
    }

    /// The results in the order of the mailboxes; those that were not begun when the run was cancelled are left out.
    package func run() async -> [MailboxResult] {
        let results = await withTaskGroup(of: (Int, MailboxResult).self) { group in
            var results: [Int: MailboxResult] = [:]
            for (index, mailbox) in mailboxes.enumerated() {
                if index >= Self.maxMailboxes, let (done, result) = await group.next() { results[done] = result }
                if parts.cancellation.isCancelled { break }
                group.addTask { (index, await PolledMailbox(mailbox, parts).poll()) }
            }
            for await (index, result) in group { results[index] = result }
            return results
        }
        return mailboxes.indices.compactMap { results[$0] }
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
