import TestSupport
import FundCore
import Testing

@testable import FundStore

/// Another process that has the outbox.
@Suite(.startsPrograms) struct OutboxLeaseTests {
    @Test func anotherProcessThatIsKilledLetsGo() async throws {
        let harness = try await StoreHarness()
        let holder = try LockHolder(of: harness.store.connection.location.outboxLock)
        #expect(try await harness.store.outbox.relayLease() == nil)
        holder.kill()
        let isFree = try await becomesTrue { (try? await harness.store.outbox.relayLease()) != nil }
        #expect(isFree)
    }
}
