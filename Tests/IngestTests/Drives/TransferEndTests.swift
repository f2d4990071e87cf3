import FundCore
import FundStore
import Synchronization
import TestSupport
import Testing

@testable import Ingest

/// Ends of attempts while the store cannot be written.
struct TransferEndTests {
    /// Events of a runner, and the failures in a row for which it asked a pause.
    private final class Record: Sendable {
        let state = Mutex((storeFailures: 0, putOff: 0, ended: 0, failures: [Int]()))

        func note(_ event: TransferEvent) {
            state.withLock { state in
                switch event {
                case .storeFailed: state.storeFailures += 1
                case .putOff: state.putOff += 1
                case .ended: state.ended += 1
                }
            }
        }

        func pause(_ failures: Int) -> Duration {
            state.withLock { $0.failures.append(failures) }
            return .zero
        }
    }

    private static func runner(
        _ harness: TransferHarness, _ register: any TransferRegister, commits: Signal, _ record: Record
    ) -> TransferRunner {
        TransferRunner(
            register, harness.memory, harness.store.library, limits: TransferLimits(maxFileBytes: .max),
            commits: commits, pause: record.pause, observe: record.note)
    }

    /// An end that could not be written is written after the next commit, and counted once.
    @Test
    func anEndIsWrittenWhenThereIsRoom() async throws {
        let (harness, record, commits) = (try await TransferHarness(["a": "one"]), Record(), Signal())
        harness.memory.state.withLock { $0.refusals = 1 }
        // The writes fail that put the transfer off.
        let register = FullRegister(harness.store.drives, failures: 3, commits)
        let id = try await harness.pull("a")
        let runner = Self.runner(harness, register, commits: commits, record)
        #expect(try await runner.runDue() == 2)
        #expect(try await harness.store.drives.transfer(id, of: harness.ann.id).state == .done)
        #expect(try await harness.files() == ["a": "one"])
        let state = record.state.withLock { $0 }
        #expect(state.storeFailures == 1 && state.putOff == 1 && state.ended == 1 && state.failures == [1])
        #expect(runner.counts.transfers == [.pull: 1] && runner.counts.files == [.pull: 1])
        // The end of a transfer waits alike.
        let other = try await harness.pull("a")
        let full = FullRegister(harness.store.drives, failures: 2, commits)
        let second = Self.runner(harness, full, commits: commits, record)
        #expect(try await second.runDue() == 1)
        #expect(try await harness.store.drives.transfer(other, of: harness.ann.id).state == .done)
        #expect(record.state.withLock { $0.storeFailures == 2 && $0.ended == 2 })
        #expect(second.counts.transfers == [.pull: 1])
    }

    /// A process that ends does not wait for room: the next one finds the transfer, and what it has.
    @Test
    func aProcessThatEndsLeavesItToTheNext() async throws {
        let (harness, record, failed) = (try await TransferHarness(["a": "one"]), Record(), Signal())
        let register = FullRegister(harness.store.drives, failures: .max, failed)
        let id = try await harness.pull("a")
        let runner = Self.runner(harness, register, commits: harness.store.library.commits, record)
        let running = Task { await runner.run() }
        _ = try await failed.count(after: 0)
        running.cancel()
        await running.value
        #expect(try await harness.store.drives.transfer(id, of: harness.ann.id).state == .running)
        let lease = try #require(try await harness.store.drives.transferLease())
        defer { lease.end() }
        harness.memory.state.withLock { $0.reads = [] }
        let ended = try await harness.run(id)
        #expect(ended.state == .done && ended.progress.files == 1)
        #expect(harness.memory.state.withLock { $0.reads.isEmpty })
    }
}
