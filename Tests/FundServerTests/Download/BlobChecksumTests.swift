import FundStore
import FundCore
internal import Synchronization
import TestSupport
import Testing

@testable import FundServer

/// Checksums that many clients ask for at a time.
struct BlobChecksumTests {
    private func file(in harness: DAVHarness) async throws -> FileEntry {
        #expect(try await harness.status("PUT", "Fund1/a", [:], "abc") == 201)
        guard case .file(let file) = try await harness.store.library.item(at: ["Fund1", "a"], of: harness.ann.id) else {
            throw ServerFailure("no file")
        }
        return file
    }

    /// One works it out, the others take what it found; who has gone takes no turn.
    @Test func areWorkedOutOnce() async throws {
        let harness = try await DAVHarness()
        let file = try await file(in: harness)
        let gate = Gate()
        let count = Mutex(0)
        let checksums = BlobChecksums(files: harness.store.library) { file, files in
            count.withLock { $0 += 1 }
            gate.wait()
            return try BlobChecksums.hash(file, in: files)
        }
        let asking = (0..<4).map { _ in Task { try await checksums.checksums(of: [file]) } }
        try await eventually { count.withLock { $0 } == 1 }
        try await eventually { checksums.waitingCount == asking.count - 1 }
        gate.open()
        for task in asking { #expect(try await task.value[file.digest]?.md5.first == 0x90) }
        #expect(count.withLock { $0 } == 1)
        try await harness.server.stop()
    }

    @Test func areNotWorkedOutForWhoHasGone() async throws {
        let harness = try await DAVHarness()
        let file = try await file(in: harness)
        let count = Mutex(0)
        let checksums = BlobChecksums(files: harness.store.library) { _, _ in
            count.withLock { $0 += 1 }
            return nil
        }
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await checksums.checksums(of: [file])
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(count.withLock { $0 } == 0)
        try await harness.server.stop()
    }
}
