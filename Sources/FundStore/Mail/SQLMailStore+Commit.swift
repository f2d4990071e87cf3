package import FundCore

extension SQLMailStore {
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        guard !batch.isEmpty else { return [] }
        return try await connection.queues.commits.run { [self] in
            let operation = "store a batch"
            try connection.checkRoom(.free, operation)
            let stored = try committing(batch, operation) { db in try BatchFiling(db: db, now: .now).take(batch) }
            noteStatistics { $0.note(stored, durableAt: .now) }
            return stored
        }
    }

    /// Commits what was staged: once the rows are durable `stage` looks them up. What duplicates brought is given up.
    func committing(
        _ batch: [StagedMessage], _ operation: String, orElse giveUp: () -> Void = {},
        _ write: (Database) throws -> [StoredMessage]
    ) throws -> [StoredMessage] {
        let stored = try log.committing(operation, appendedIn: batch.map(\.records.generation), write) { stored in
            zip(batch, stored).lazy.filter { $1.outcome != .duplicate || $0.records.isReplacement }.flatMap {
                staged, _ in
                staged.records.appended
            }
        } orElse: {
            giveUp()
        }
        for staged in batch { log.forgetFresh(staged.records.blobs.keys) }
        takeBack(zip(batch, stored).filter { $1.outcome == .duplicate }.map(\.0))
        return stored
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
