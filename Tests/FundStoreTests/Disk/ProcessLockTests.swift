import TestSupport
internal import Foundation
internal import Glibc
import Synchronization
import FundCore
import Testing

@testable import FundStore

/// Another process that holds a lock.
@Suite(.startsPrograms) struct ProcessLockTests {
    @Test func aWriteWaitsForAnotherProcess() async throws {
        let harness = try await StoreHarness()
        let other = try LockHolder(of: harness.store.connection.location.writeLock)
        let isWritten = Mutex(false)
        async let write: Void = {
            try await harness.store.administration.addFund(
                name: "Waits", owner: harness.ann.id, aliases: [], actor: "t")
            isWritten.withLock { $0 = true }
        }()
        let lock = try #require(harness.store.connection.writeLock)
        try await eventually { lock.refusals.load(ordering: .relaxed) > 1 }
        #expect(!isWritten.withLock { $0 })
        other.kill()
        try await write
        #expect(try harness.store.mail.directory().funds(of: harness.ann.id).count == 2)
    }

    @Test func aKilledHolderLetsGo() async throws {
        let harness = try await StoreHarness()
        try await harness.store.mail.lease("funds", to: "poll").end()
        let other = try LockHolder(of: harness.store.connection.location.lease(of: "funds"))
        do {
            try await harness.store.mail.lease("funds", to: "poll").end()
            Issue.record("taken from a process that holds it")
        } catch let error as StoreError {
            #expect(error.code == .held)
        }
        other.kill()
        #expect(try await becomesTrue { (try? await harness.store.mail.lease("funds", to: "poll").end()) != nil })
    }

    /// The number of a closed descriptor goes to the next file that is opened.
    @Test func lettingGoTwiceTouchesNoOtherFile() async throws {
        let harness = try await StoreHarness()
        let lock = try await harness.store.mail.lease("funds", to: "poll")
        lock.end()
        // Enough files to take every number that became free.
        let files = (0..<64).map { "\(harness.store.path)/other-\($0)" }
        let descriptors = files.map { open($0, O_RDWR | O_CREAT, 0o600) }
        for descriptor in descriptors { #expect(write(descriptor, "kept", 4) == 4) }
        lock.end()
        for (file, descriptor) in zip(files, descriptors) {
            close(descriptor)
            #expect(try String(contentsOfFile: file, encoding: .utf8) == "kept")
        }
    }
}
