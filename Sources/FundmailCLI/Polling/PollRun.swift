import FundStore
import FundCore
import Ingest
import MailFetch
import MailParse

/// One run over several mailboxes at the same time.
struct PollRun: Sendable {
    /// Connections at a time: they wait for servers most of the time, and one that hangs must not hold up the others.
    static let maxMailboxes = 16

    let parts: PollingParts
    let mailboxes: [MailboxConfiguration]

    /// The results in the order of the mailboxes; those that were not begun when the run was cancelled are left out.
    func run(_ output: PollOutput) async -> [MailboxResult] {
        let results = await withTaskGroup(of: (Int, MailboxResult).self) { group in
            var results: [Int: MailboxResult] = [:]
            for (index, mailbox) in mailboxes.enumerated() {
                if index >= Self.maxMailboxes, let (done, result) = await group.next() { results[done] = result }
                if parts.cancellation.isCancelled { break }
                group.addTask {
                    let result = await PolledMailbox(mailbox, parts).poll { output.take($0) }
                    output.finish(result)
                    return (index, result)
                }
            }
            for await (index, result) in group { results[index] = result }
            return results
        }
        return mailboxes.indices.compactMap { results[$0] }
    }

    /// The sum over all mailboxes.
    static func total(_ results: [MailboxResult], seconds: Double) -> RunSummary {
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

    /// The status of the failure that matters most; nil when there is none.
    static func status(_ results: [MailboxResult]) -> ExitStatus? {
        let weights: [ExitStatus] = [.software, .outputFailed, .cannotCreate, .configuration, .unavailable, .temporary]
        let failures = Set(results.compactMap { $0.failure?.status })
        return weights.first(where: failures.contains) ?? failures.first
    }
}
