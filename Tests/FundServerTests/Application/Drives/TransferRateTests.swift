import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// How fast a transfer is, by what was seen of it.
struct TransferRateTests {
    private static func transfer(_ bytes: Int64, _ state: DriveTransfer.State = .running) -> DriveTransfer {
        DriveTransfer(
            id: 1, user: 1, drive: 1, direction: .pull, paths: [], state: state,
            progress: TransferProgress(bytes: bytes, totalBytes: 1_000_000), addedAt: 0)
    }

    @Test
    func aRateIsThatOfTheLastSeconds() {
        let clock = Mutex(ContinuousClock.now)
        let rates = TransferRates { clock.withLock(\.self) }
        func look(_ bytes: Int64, after seconds: Int, _ state: DriveTransfer.State = .running) -> Double? {
            clock.withLock { $0 += .seconds(seconds) }
            return rates.rate(of: Self.transfer(bytes, state))
        }
        #expect(look(0, after: 0) == nil)
        #expect(look(0, after: 0) == nil)
        #expect(look(1000, after: 1) == 1000)
        #expect(look(3000, after: 1) == 1500)
        // Bytes of long ago do not count, and a transfer that stands still has no rate.
        #expect(look(3000, after: 12) == nil)
        #expect(look(5000, after: 2) == 1000)
        #expect(look(100, after: 1) == nil)
        #expect(look(1100, after: 1) == 1000)
        #expect(look(2000, after: 1, .done) == nil)
        #expect(look(3000, after: 1) == nil)
    }
}
