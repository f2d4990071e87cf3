package import FundCore

extension SQLMailStore {
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        guard !batch.isEmpty else { return [] }
        return try await connection.queues.commits.run { [self] in
            let operation = "store a batch"
            try connection.checkRoom(.free, operation)
            try log.sync(appendedIn: batch.map(\.records.generation))
            log.faults.reach(.beforeCommit)
            let stored = try connection.write(operation) { db in
                try BatchFiling(db: db, now: .now).take(batch)
            }
            noteStatistics { $0.note(stored, durableAt: .now) }
            log.faults.reach(.afterCommit)
            finish(batch, stored)
            return stored
        }
    }

    /// Its rows are durable: `stage` looks them up. What duplicates brought is given up.
    func finish(_ batch: [StagedMessage], _ stored: [StoredMessage]) {
        log.noteCommits(
            zip(batch, stored).lazy.filter { $1.outcome != .duplicate || $0.records.isReplacement }.flatMap {
                staged, _ in
                staged.records.appended
            })
        for staged in batch { log.forgetFresh(staged.records.blobs.keys) }
        takeBack(zip(batch, stored).filter { $1.outcome == .duplicate }.map(\.0))
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
