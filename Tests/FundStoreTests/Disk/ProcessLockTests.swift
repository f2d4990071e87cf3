import TestSupport
internal import Foundation
internal import Glibc
import Synchronization
import FundCore
import Testing

@testable import FundStore

/// Another process that holds a lock: util-linux's flock(1), so that not our own code judges itself.
@Suite(.startsPrograms) struct ProcessLockTests {
    private func holder(of path: String, seconds: String) throws -> Process {
        let (process, pipe) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/flock")
        process.arguments = ["-o", path, "sh", "-c", "echo held; exec sleep \(seconds)"]
        process.standardOutput = pipe
        try process.run()
        // It runs its command once it has the lock.
        #expect(try pipe.fileHandleForReading.read(upToCount: 1)?.count == 1)
        return process
    }

    @Test func aWriteWaitsForAnotherProcess() async throws {
        let harness = try await StoreHarness()
        let other = try holder(of: harness.store.connection.location.writeLock, seconds: "30")
        let isWritten = Mutex(false)
        async let write: Void = {
            try await harness.store.administration.addFund(
                name: "Waits", owner: harness.ann.id, aliases: [], actor: "t")
            isWritten.withLock { $0 = true }
        }()
        let lock = try #require(harness.store.connection.writeLock)
        try await eventually { lock.refusals.load(ordering: .relaxed) > 1 }
        #expect(!isWritten.withLock { $0 })
        kill(other.processIdentifier, SIGKILL)
        try await write
        #expect(try harness.store.mail.directory().funds(of: harness.ann.id).count == 2)
    }

    @Test func aKilledHolderLetsGo() async throws {
        let harness = try await StoreHarness()
        try await harness.store.mail.lease("funds", to: "poll").end()
        for attempt in 1...3 {
            let other = try holder(of: harness.store.connection.location.lease(of: "funds"), seconds: "30")
            do {
                try await harness.store.mail.lease("funds", to: "poll").end()
                // The lock is free only when the holder ended by itself: then nothing was tried yet.
                try #require(attempt < 3, "taken from a process that holds it")
                #expect(try await becomesTrue(within: .seconds(1)) { !other.isRunning })
            } catch let error as StoreError {
                #expect(error.code == .held)
                kill(other.processIdentifier, SIGKILL)
                let isFree = try await becomesTrue {
                    (try? await harness.store.mail.lease("funds", to: "poll").end()) != nil
                }
                #expect(isFree)
                return
            }
        }
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
