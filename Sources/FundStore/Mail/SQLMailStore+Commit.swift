package import FundCore

extension SQLMailStore {
    package func commit(_ batch: [StagedMessage]) async throws -> [StoredMessage] {
        guard !batch.isEmpty else { return [] }
        return try await connection.queues.commits.run { [self] in
            let operation = "store a batch"
            try connection.checkRoom(.free, operation)
            let (stored, durableAt) = try committing(batch, operation) { db in
                try BatchFiling(
                    db: db, now: .now, letterLimits: letterLimits, storageLimits: connection.storageLimits
                ).take(batch)
            }
            noteStatistics { $0.note(stored, durableAt: durableAt) }
            return stored
        }
    }

    /// Commits what was staged: once the rows are durable `stage` looks them up. What duplicates brought is given up.
    /// Returns what became of the messages, and when their rows were durable.
    func committing(
        _ batch: [StagedMessage], _ operation: String, orElse giveUp: () -> Void = {},
        _ write: (Database) throws -> [StoredMessage]
    ) throws -> (stored: [StoredMessage], durableAt: ContinuousClock.Instant) {
        var durableAt = ContinuousClock.now
        let stored = try log.committing(operation, appendedIn: batch.map(\.records.generation), write) { stored in
            durableAt = .now
            return zip(batch, stored).lazy.filter { $1.outcome != .duplicate || $0.records.isReplacement }.flatMap {
                staged, _ in
                staged.records.appended
            }
        } orElse: {
            giveUp()
        }
        for staged in batch { log.forgetFresh(staged.records.blobs.keys) }
        takeBack(zip(batch, stored).filter { $1.outcome == .duplicate }.map(\.0))
        return (stored, durableAt)
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
