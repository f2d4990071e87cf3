import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Large files whose transfer goes on in another process.
@Suite struct ResumedPullTests {
    private static let text = String(repeating: "0123456789abcdef", count: 600_000)
    private static let cut = 5_000_000

    /// A transfer of a large file that was stopped when about half of it had come.
    private static func stopped() async throws -> (harness: TransferHarness, transfer: DriveTransfer.ID) {
        let harness = try await TransferHarness(["large.bin": text])
        let isWaiting = Flag()
        harness.memory.state.withLock { state in
            state.cuts["large.bin"] = [cut]
            state.beforeRead = { _, position in
                guard position > 0 else { return }
                isWaiting.raise()
                await untilCancelled()
                throw CancellationError()
            }
        }
        let id = try await harness.pull("large.bin")
        let running = Task { try await harness.runner.runDue() }
        try await eventually { isWaiting.isRaised }
        running.cancel()
        _ = await running.result
        harness.memory.state.withLock { $0.beforeRead = nil }
        return (harness, id)
    }

    private static func finish(
        _ id: DriveTransfer.ID, of harness: TransferHarness
    ) async throws -> (transfer: DriveTransfer, lastRead: String?) {
        try await harness.otherRunner().runDue()
        let transfer = try await harness.store.drives.transfer(id, of: harness.ann.id)
        return (transfer, harness.memory.state.withLock { $0.reads.last })
    }

    /// It goes on behind the last byte that came.
    @Test func whatCameIsNotReadAgain() async throws {
        let (harness, id) = try await Self.stopped()
        let (transfer, read) = try await Self.finish(id, of: harness)
        #expect(transfer.state == .done && transfer.progress.files == 1)
        #expect(transfer.progress.bytes == Int64(Self.text.utf8.count))
        #expect(read == "large.bin \(Self.cut)")
        #expect(try await harness.files() == ["large.bin": Self.text])
        #expect(TestFile.names(in: "\(harness.folder)/tmp").isEmpty)
    }

    /// A transfer for which the disk has no room waits for it, and keeps what came.
    @Test func aFullDiskKeepsWhatCame() async throws {
        let harness = try await TransferHarness(["large.bin": Self.text])
        let isFull = Flag()
        harness.memory.state.withLock { state in
            state.cuts["large.bin"] = [Self.cut]
            state.beforeRead = { _, position in
                guard position > 0, !isFull.isRaised else { return }
                isFull.raise()
                throw StoreError(.outOfSpace, "take an upload", "it does not fit on the disk")
            }
        }
        let transfer = try await harness.run(try await harness.pull("large.bin"))
        #expect(transfer.state == .done && transfer.progress.bytes == Int64(Self.text.utf8.count))
        #expect(harness.memory.state.withLock { $0.reads } == ["large.bin 0", "large.bin \(Self.cut)"])
        #expect(try await harness.files() == ["large.bin": Self.text])
        harness.memory.state.withLock { $0.beforeRead = nil }
    }

    /// A file that was replaced meanwhile is read from its beginning.
    @Test func anotherStateBeginsAnew() async throws {
        let (harness, id) = try await Self.stopped()
        let other = String(Self.text.reversed())
        harness.memory.state.withLock { state in
            state.files["large.bin"] = MemoryDrive.File(bytes: Array(other.utf8), version: 2)
        }
        let (transfer, read) = try await Self.finish(id, of: harness)
        #expect(transfer.state == .done && read == "large.bin 0")
        #expect(try await harness.files() == ["large.bin": other])
    }

    /// One that is replaced while the rest of it comes is begun anew, and does not get a part of each.
    @Test func aStateThatChangesIsNotMixed() async throws {
        let (harness, id) = try await Self.stopped()
        let other = String(Self.text.reversed())
        harness.memory.state.withLock { state in
            state.beforeRead = { [memory = harness.memory] _, position in
                guard position > 0 else { return }
                memory.state.withLock { state in
                    state.files["large.bin"] = MemoryDrive.File(bytes: Array(other.utf8), version: 2)
                }
            }
        }
        let (transfer, read) = try await Self.finish(id, of: harness)
        #expect(transfer.state == .done && read == "large.bin 0")
        #expect(try await harness.files() == ["large.bin": other])
        harness.memory.state.withLock { $0.beforeRead = nil }
    }

    /// A transfer that is cancelled leaves nothing behind.
    @Test func aCancelledTransferLeavesNothing() async throws {
        let (harness, id) = try await Self.stopped()
        #expect(TestFile.names(in: "\(harness.folder)/tmp").count == 1)
        try await harness.store.drives.cancelTransfer(id, of: harness.ann.id)
        _ = try await harness.otherRunner()
        #expect(try await harness.store.drives.transfer(id, of: harness.ann.id).state == .cancelled)
        #expect(TestFile.names(in: "\(harness.folder)/tmp").isEmpty)
    }
}
