import FundClient
import Terminal

/// A file that a command loads or sends.
protocol CommandTransfer: Sendable {
    /// Work for the queue.
    var work: Transfer.Work { get }
    /// Where it comes from, for people.
    var from: String { get }
    /// Where it goes, for people.
    var to: String { get }
    /// In bytes; 0 where that is not known.
    var size: Int64 { get }

    /// The digest of what is at the target already, if that makes the transfer needless. Throws `CommandError` when it
    /// is something else, and may not be replaced.
    func whatIsThere() throws(CommandError) -> Digest?

    /// Decides about a failure: returns the digest of the target when that makes it harmless, otherwise throws it in
    /// words.
    func settle(_ failure: ClientError, _ session: Session) async throws(CommandError) -> Digest
}

/// Transfers of one command. They go through the queue of the account: a command that is killed goes on where it was
/// when it is run again, or with `fund queue run`.
struct CommandTransfers {
    let session: Session
    let globals: GlobalOptions
    let options: TransferOptions

    /// Does them, so many at a time, whatever becomes of the others. Says each failure, and with `--json` what was
    /// done.
    /// - Parameter verb: `Loaded`, `Sent`.
    /// - Returns: the first failure.
    func run(_ transfers: [some CommandTransfer], _ verb: String) async throws -> CommandError? {
        let report = TransferReport(globals, transfers)
        let needed = await Parallel.compactMap(transfers, atMost: options.transfers) { transfer in
            do {
                guard let digest = try transfer.whatIsThere() else { return transfer }
                report.skip(transfer, digest)
            } catch {
                report.fail(CommandError(error))
            }
            return nil
        }
        if !needed.isEmpty { try await run(needed, report) }
        if !report.needless.isEmpty { try await TransferQueue(of: globals.catalogue()).giveUp(report.needless) }
        try report.finish(verb)
        return report.failure
    }

    private func run(_ transfers: [some CommandTransfer], _ report: TransferReport) async throws {
        let catalogue = try globals.catalogue()
        let (queue, batch) = (TransferQueue(of: catalogue), TransferBatch())
        let ids = try await queue.add(transfers.map(\.work), batch: batch)
        let byID = Dictionary(grouping: zip(ids, transfers), by: \.0).mapValues { $0.map(\.1) }
        let runner = TransferRunner(
            queue, cache: ContentCache(of: catalogue), server: session, limit: options.transfers)
        let showing = Task { [report] in
            while report.isVisible, !Task.isCancelled {
                report.show(try await queue.progressNow(of: batch))
                try await Task.sleep(for: .milliseconds(100))
            }
        }
        defer { showing.cancel() }
        let session = session
        try await runner.run(batch) { ended in
            for transfer in byID[ended.id] ?? [] { await report.end(transfer, ended, session) }
        }
    }
}
