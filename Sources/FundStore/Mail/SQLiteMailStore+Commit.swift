package import FundCore
internal import Glibc

extension SQLiteMailStore {
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        guard !batch.isEmpty else { return [] }
        return try await connection.queues.commits.run { [self] in
            let operation = "store a batch"
            try connection.checkRoom(.free, operation)
            try crossBarrier(for: batch)
            files.faults.reach(.beforeCommit)
            let (stored, dropped) = try connection.write(operation) { db in
                var filing = BatchFiling(db: db, layout: files.layout, now: .now)
                return (try batch.map { try filing.take($0) }, filing.droppedFiles)
            }
            noteStatistics { $0.note(stored, durableAt: .now) }
            files.faults.reach(.afterCommit)
            forgetFreshBlobs(of: stored)
            for file in dropped { unlink(file) }
            return stored
        }
    }

    /// The batch's files are durable when this returns. When it throws, all files written so far must be written anew.
    func crossBarrier(for batch: [StagedMessage]) throws {
        try files.crossBarrier(writtenAfter: batch.map(\.files.failedBarriers)) { [layout = files.layout] in
            Set(batch.flatMap { Self.paths(of: $0, layout) })
        }
    }

    private static func paths(of staged: StagedMessage, _ layout: StoreLayout) -> [String] {
        let message = staged.message
        let raw = layout.raw(message.spooled.digest)
        // A known duplicate stays in the spool, and another copy's commit may have dropped the file of an unknown one.
        guard message.spooled.path == raw, StoreLayout.size(of: raw) != nil else { return [] }
        guard message.decision.outcome == .filed, !staged.files.hasNoBlobs, case .message(let parsed) = message.parsed
        else { return [raw] }
        return [raw] + parsed.attachments.map { layout.blob($0.digest) }
    }

    /// They have rows now, which `stage` looks up.
    func forgetFreshBlobs(of stored: [StoredMessage]) {
        files.forgetFresh(
            stored.flatMap { message in
                guard message.outcome == .filed, case .message(let parsed) = message.message.parsed else {
                    return [ContentDigest]()
                }
                return parsed.attachments.map(\.digest)
            })
    }
}

extension IngestStatistics {
    fileprivate mutating func note(_ stored: [StoredMessage], durableAt now: ContinuousClock.Instant) {
        for message in stored {
            outcomes[message.outcome, default: 0] += 1
            timeToRow.note(now - message.message.takenAt)
        }
    }
}
