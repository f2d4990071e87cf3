import FundClient
import Synchronization
import Terminal

/// Output of a command about its transfers, while they run and at the end.
final class TransferReport: Sendable {
    private let isJSON: Bool
    private let isQuiet: Bool
    private let progress: TransferProgress
    private let first = Mutex<CommandError?>(nil)
    private let skipped = Mutex<[Transfer.Work]>([])

    init(_ globals: GlobalOptions, _ transfers: [some CommandTransfer]) {
        (isJSON, isQuiet) = (globals.json, globals.quiet)
        progress = TransferProgress(isQuiet: globals.quiet)
        for transfer in transfers { progress.expect(bytes: transfer.size) }
    }

    /// The first failure.
    var failure: CommandError? { first.withLock { $0 } }
    /// Transfers that were not needed: the target has these bytes already.
    var needless: [Transfer.Work] { skipped.withLock { $0 } }
    /// Whether progress is shown.
    var isVisible: Bool { progress.isVisible }

    func show(_ queue: QueueProgress) { progress.show(queue) }

    /// Notes that the target has these bytes already.
    func skip(_ transfer: some CommandTransfer, _ digest: Digest) {
        skipped.withLock { $0.append(transfer.work) }
        progress.skipFile(bytes: transfer.size)
        line(transfer, transfer.size, digest)
    }

    func end(_ transfer: some CommandTransfer, _ ended: Transfer, _ session: Session) async {
        switch ended.state {
        case .done:
            progress.finishFile(bytes: ended.size ?? 0)
            if let digest = ended.digest { line(transfer, ended.size ?? 0, digest) }
        case .paused:
            fail(
                CommandError(.temporary, "It was paused; `fund queue resume \(ended.id)` lets it go on.")
                    .about(transfer.to))
        case .cancelled: fail(CommandError(.temporary, "It was cancelled.").about(transfer.to))
        case .failed, .waiting, .running:
            do throws(CommandError) {
                let failure = ended.failure ?? ClientError(.interrupted, "it did not end")
                skip(transfer, try await transfer.settle(failure, session))
            } catch {
                fail(error)
            }
        }
    }

    func fail(_ error: CommandError) {
        progress.clear()
        error.report()
        first.withLock { $0 = $0 ?? error }
    }

    private func line(_ transfer: some CommandTransfer, _ size: Int64, _ digest: Digest) {
        guard isJSON else { return }
        progress.clear()
        do {
            try JSONLine.write(TransferLine(from: transfer.from, to: transfer.to, size: size, sha256: "\(digest)"))
        } catch {
            fail(CommandError(error))
        }
    }

    /// Throws `CommandError` when standard output cannot be written.
    func finish(_ verb: String) throws {
        progress.clear()
        if !isJSON, !isQuiet { try Console.line(progress.summary(verb)) }
    }
}
