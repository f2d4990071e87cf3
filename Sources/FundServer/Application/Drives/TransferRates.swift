internal import FundCore
internal import Synchronization

/// The rates of running transfers, by what was seen of them some seconds ago. Each look at a transfer adds to it;
/// nothing is measured while no page shows it.
final class TransferRates: Sendable {
    /// Time over which a rate is taken, and the least time that tells one.
    private static let (window, least) = (Duration.seconds(12), Duration.milliseconds(900))
    /// Transfers that are remembered.
    private static let maxTransfers = 4096

    private struct Sample {
        let bytes: Int64
        let at: ContinuousClock.Instant
    }

    private let samples = Mutex(BoundedTable<DriveTransfer.ID, [Sample]>(maxEntries: maxTransfers))
    private let now: @Sendable () -> ContinuousClock.Instant

    /// - Parameter now: another only in tests.
    init(now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }) { self.now = now }

    /// Notes how far a transfer is. Returns bytes a second; nil while nothing moves, and where it was not looked at a
    /// moment ago.
    func rate(of transfer: DriveTransfer) -> Double? {
        let (sample, oldest) = (Sample(bytes: transfer.progress.bytes, at: now()), now() - Self.window)
        return samples.withLock { samples in
            guard transfer.state == .running else {
                samples[transfer.id] = nil
                return nil
            }
            var known = (samples[transfer.id] ?? []).filter { $0.at >= oldest }
            // One that moved for nothing begins anew.
            if let last = known.last, last.bytes > sample.bytes { known = [] }
            if known.last.map({ sample.at - $0.at >= Self.least }) ?? true { known.append(sample) }
            samples[transfer.id] = known
            guard let first = known.first, sample.at - first.at >= Self.least, sample.bytes > first.bytes else {
                return nil
            }
            return Double(sample.bytes - first.bytes) / ((sample.at - first.at) / .seconds(1))
        }
    }
}
