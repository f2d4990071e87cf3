internal import FundCore

/// The last stages of a batch: one durability barrier and transaction, then the acknowledgement.
struct BatchCommit: Sendable {
    struct Result: Sendable {
        var stored: [StoredMessage]
        /// Messages whose rows fall on a damaged page of the database, each with why. They are still at their source.
        var failed: [(reference: SourceReference, error: any Error)]
        var timings: StageTimings
        /// The error for which the rest of the batch was not stored.
        var failure: (any Error)?
    }

    let store: any IngestStore
    let source: any MessageSource

    /// Commits `batch` and acknowledges what was stored.
    ///
    /// - Returns: what was stored, and why the rest was not. Throws when the source cannot acknowledge.
    func commit(_ batch: [StagedMessage]) async throws -> Result {
        var timings = StageTimings()
        let faults = store.spool.faults
        let start = ContinuousClock.now
        let (stored, failed, failure) = await storeWhatFits(batch)
        let durable = ContinuousClock.now
        timings.commit = durable - start
        faults.reach(.beforeAcknowledge)
        if !stored.isEmpty { try await source.acknowledge(stored) }
        faults.reach(.afterAcknowledge)
        timings.acknowledge = ContinuousClock.now - durable
        return Result(stored: stored, failed: failed, timings: timings, failure: failure)
    }

    /// Errors after which no rows were committed.
    private static let meanNoRows: Set<StoreError.Code> = [.outOfSpace, .stale, .held, .logLost]

    private typealias Part = (
        stored: [StoredMessage], failed: [(reference: SourceReference, error: any Error)], failure: (any Error)?
    )

    /// Commits all of the batch, or on a full disk what fits: halves are tried apart, and what was written for the rest
    /// is given up, since those messages are still at their source. A message that is stale keeps only its own half
    /// from being stored, and one whose rows fall on a damaged page of the database only itself.
    private func storeWhatFits(_ batch: [StagedMessage]) async -> Part {
        let part = await storeParts(batch)
        // Where nothing at all of several can be written, the database as a whole is the reason.
        guard batch.count > 1, part.failed.count == batch.count, let first = part.failed.first else { return part }
        return ([], [], first.error)
    }

    private func storeParts(_ batch: [StagedMessage]) async -> Part {
        do {
            return (try await store.commit(batch), [], nil)
        } catch {
            let code = (error as? StoreError)?.code
            guard code == .outOfSpace || code == .stale || code == .corrupted, batch.count > 1 else {
                // After any other error the rows may have been committed all the same.
                if let code, Self.meanNoRows.contains(code) { await store.abandon(batch) }
                guard code == .corrupted, let message = batch.first else { return ([], [], error) }
                return ([], [(message.message.reference, error)], nil)
            }
            let first = await storeParts(Array(batch[..<(batch.count / 2)]))
            let second = await storeParts(Array(batch[(batch.count / 2)...]))
            let failure = first.failure ?? second.failure
            // A full disk may have taken the bytes of all: that they must come again is not the reason to tell.
            let isHidden = code == .outOfSpace && (failure as? StoreError)?.code == .stale
            return (first.stored + second.stored, first.failed + second.failed, isHidden ? error : failure)
        }
    }
}
