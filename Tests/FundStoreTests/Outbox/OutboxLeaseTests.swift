import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

/// Another process that has the outbox: util-linux's flock(1), so that not our own code judges itself.
@Suite(.startsPrograms) struct OutboxLeaseTests {
    @Test func anotherProcessThatIsKilledLetsGo() async throws {
        let harness = try await StoreHarness()
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = [
            "-o", harness.store.connection.location.outboxLock, "sh", "-c", "echo held; exec cat",
        ]
        process.standardInput = Pipe()
        process.standardOutput = pipe
        try process.run()
        #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
        #expect(try await harness.store.outbox.relayLease() == nil)
        kill(process.processIdentifier, SIGKILL)
        let isFree = try await becomesTrue { (try? await harness.store.outbox.relayLease()) != nil }
        #expect(isFree)
    }
}
