internal import GRDB
internal import Glibc
package import FundCore
internal import Synchronization

extension FundStore {
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        guard !batch.isEmpty else { return [] }
        return try await committing { [self] in try commitBlocking(batch) }
    }

    private func commitBlocking(_ batch: [StagedMessage]) throws -> [StoredMessage] {
        let operation = "store a batch"
        try checkRoom(.free, operation)
        try crossBarrier(for: batch)
        faults.reach(.beforeCommit)
        let (stored, dropped) = try write(operation) { db in
            var filing = BatchFiling(db: db, layout: layout, now: currentSeconds())
            return (try batch.map { try filing.take($0) }, filing.droppedFiles)
        }
        faults.reach(.afterCommit)
        forgetFreshBlobs(of: stored)
        for file in dropped { unlink(file) }
        return stored
    }

    /// The batch's files are durable when this returns. When it throws, all files written so far must be written anew.
    func crossBarrier(for batch: [StagedMessage]) throws {
        try crossBarrier(writtenAfter: batch.map(\.failedBarriers)) { [layout] in
            Set(batch.flatMap { Self.files(of: $0, layout) })
        }
    }

    /// The same for any files. `marks`: how many barriers had failed when they were written.
    func crossBarrier(writtenAfter marks: [Int], files: () -> Set<String>) throws {
        let operation = "make files durable"
        let failures = staging.withLock { $0.failedBarriers }
        guard marks.allSatisfy({ $0 == failures }) else {
            throw StoreError(.stale, operation, "they were written before an error of the disk")
        }
        faults.reach(.beforeBarrier)
        do {
            try barrier.cross(files: files)
        } catch {
            staging.withLock { state in
                state.failedBarriers += 1
                state.freshBlobs.removeAll()
            }
            if error.code == ENOENT {
                throw StoreError(.stale, operation, "one of them was removed meanwhile")
            }
            throw StoreError.wrap(error, operation)
        }
        faults.reach(.afterBarrier)
    }

    private static func files(of staged: StagedMessage, _ layout: StoreLayout) -> [String] {
        let message = staged.message
        let raw = layout.raw(message.spooled.digest)
        // A known duplicate stays in the spool, and another copy's commit may have dropped the file of an unknown one.
        guard message.spooled.path == raw, StoreLayout.size(of: raw) != nil else { return [] }
        guard message.decision.outcome == .filed, !staged.hasNoBlobs, case .message(let parsed) = message.parsed else {
            return [raw]
        }
        return [raw] + parsed.attachments.map { layout.blob($0.digest) }
    }

    /// They have rows now, which `stage` asks.
    func forgetFreshBlobs(of stored: [StoredMessage]) {
        staging.withLock { state in
            for message in stored {
                guard message.outcome == .filed, case .message(let parsed) = message.message.parsed else { continue }
                for attachment in parsed.attachments { state.freshBlobs.remove(attachment.digest) }
            }
        }
    }
}
