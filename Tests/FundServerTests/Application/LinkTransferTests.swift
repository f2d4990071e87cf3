import FundCore
import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Transfers by share links, and what the watcher does about them.
struct LinkTransferTests {
    /// Counts calls, and lets a test wait for one.
    private final class Calls: Sendable {
        private let signal = Signal()

        var count: Int { signal.count }

        @discardableResult
        func note() -> Int {
            signal.raise()
            return signal.count
        }

        func reach(_ count: Int) async throws {
            while signal.count < count { _ = try await signal.count(after: signal.count) }
        }
    }

    /// A transfer that ended while the watcher looked at its link is not cut: its connection has another request.
    @Test func whatHasEndedIsNotCut() async throws {
        let transfers = LinkTransfers(commits: Signal(), isOn: { true })
        let (asked, released, cuts, otherAsked) = (Calls(), Calls(), Calls(), Calls())
        // Another transfer keeps the watcher at work.
        let other = Task {
            try await transfers.run(
                of: 2,
                isAllowed: {
                    otherAsked.note()
                    return true
                }, cut: { cuts.note() }
            ) { try await released.reach(2) }
        }
        try await otherAsked.reach(1)
        try await transfers.run(
            of: 1,
            isAllowed: {
                guard asked.note() > 1 else { return true }
                // The watcher learns that the link has ended once the transfer has ended, too.
                try? await released.reach(1)
                return false
            }, cut: { cuts.note() }
        ) { try await asked.reach(2) }
        released.note()
        let known = otherAsked.count
        try await otherAsked.reach(known + 2)
        #expect(cuts.count == 0 && transfers.count == 1)
        released.note()
        try await other.value
    }

    @Test func whatRunsIsCut() async throws {
        let (cuts, asked) = (Calls(), Calls())
        let transfers = LinkTransfers(commits: Signal(), isOn: { true })
        try await transfers.run(of: 1, isAllowed: { asked.note() == 1 }, cut: { cuts.note() }) {
            try await cuts.reach(1)
        }
        #expect(cuts.count >= 1 && transfers.count == 0)
    }
}
