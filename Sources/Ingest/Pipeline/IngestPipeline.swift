package import FundCore

/// Takes messages from a source through all stages: spool, parse, route, stage, commit in batches, acknowledge.
///
/// One loop holds all state and takes one step after the other: messages from the source, messages that were processed,
/// a batch that became durable, or the age limit of the batch that is being filled.
package struct IngestPipeline: Sendable {
    private let store: any IngestStore
    private let stages: MessageStages
    private let batchLimits: BatchLimits

    /// - Parameter receipts: nil when no sender is told what becomes of a message.
    package init(
        store: any IngestStore, parser: any MessageParser, policy: RoutingPolicy, limits: ParseLimits = ParseLimits(),
        batchLimits: BatchLimits = BatchLimits(), receipts: ReceiptPolicy? = nil
    ) {
        self.store = store
        stages = MessageStages(store: store, parser: parser, policy: policy, limits: limits, receipts: receipts)
        self.batchLimits = batchLimits
    }

    /// Runs until the end of the source or until `shouldStop` is true; messages begun before are finished and
    /// acknowledged. Throws `IngestError` when the store cannot be written, no parser can be started or the source
    /// fails: what was committed stays, and all other messages are still at their source.
    package func run(
        _ source: any MessageSource, shouldStop: @escaping @Sendable () -> Bool = { false },
        onEvent: @escaping @Sendable (IngestEvent) -> Void = { _ in }
    ) async throws -> RunSummary {
        let start = ContinuousClock.now
        var summary = try await withThrowingTaskGroup(of: Step.self) { group in
            var run = Run(source: source, shouldStop: shouldStop, onEvent: onEvent)
            do {
                try await drive(&run, &group)
                let hasMuch = run.batched >= Self.manyMessages
                async let settled: Void = hasMuch ? store.settle() : ()
                try await source.finish()
                await settled
            } catch {
                // Unfinished work is dropped; what is staged already is committed in one more batch.
                group.cancelAll()
                await rescue(&run, &group)
                run.summary.seconds = (ContinuousClock.now - start).seconds
                throw IngestError(summary: run.summary, underlying: error)
            }
            group.cancelAll()  // the task of an age limit may still sleep
            return run.summary
        }
        summary.seconds = (ContinuousClock.now - start).seconds
        return summary
    }

    // MARK: The loop

    private enum Step: Sendable {
        case pulled([PendingMessage])
        /// Consecutive messages, the first of this number; fewer than were given when store or parser failed.
        case processed([ProcessedMessage], number: Int, failure: (any Error)?)
        case committed(BatchCommit.Result)
        case aged(batch: Int)
    }

    /// Messages that one child processes in a row: passing work between threads costs about as much as parsing a small
    /// message. Few enough that at the end of a source no child is idle for long.
    private static let chunkMessages = 8

    /// A run over so many leaves something to tidy up.
    private static let manyMessages = 200

    private struct Run {
        let source: any MessageSource
        let shouldStop: @Sendable () -> Bool
        let onEvent: @Sendable (IngestEvent) -> Void
        var summary = RunSummary()
        var batch: [StagedMessage] = []
        var batchBytes: Int64 = 0
        var batchNumber = 0
        var isPulling = false
        var isAtEnd = false
        /// Messages that the source has behind those that were pulled; nil where it does not say.
        var left: Int?
        var isCommitting = false
        var isAged = false
        /// Chunks that are being processed.
        var inFlight = 0
        /// Messages are numbered as the source gives them, and batched in that order: which of two equal messages is
        /// the duplicate, and which of two `report.pdf` is `report(1).pdf`, does not depend on chance.
        var pulled = 0
        var batched = 0
        /// Processed before a message with a lower number, by number.
        var early: [Int: ProcessedMessage] = [:]

        mutating func note(_ event: IngestEvent) {
            summary.add(event)
            onEvent(event)
        }
    }

    private typealias Group = ThrowingTaskGroup<Step, any Error>

    private func drive(_ run: inout Run, _ group: inout Group) async throws {
        // Two chunks for each child, so that none waits for the loop.
        let maxInFlight = 2 * stages.parser.concurrency
        while true {
            if !run.isAtEnd, !run.isPulling, run.shouldStop() {
                run.isAtEnd = true
                run.summary.wasInterrupted = true
            }
            let waiting = run.batch.count + run.early.count
            let isBacklogged = waiting >= batchLimits.maxMessages && (run.isCommitting || !run.early.isEmpty)
            if !run.isAtEnd, !run.isPulling, run.inFlight < maxInFlight, !isBacklogged {
                run.isPulling = true
                group.addTask { [source = run.source] in .pulled(try await source.next(atMost: Self.chunkMessages)) }
            }
            if isDue(run) { commit(&run, &group) }
            guard run.isPulling || run.inFlight > 0 || run.isCommitting || !run.batch.isEmpty else { return }
            guard let step = try await group.next() else { return }
            try take(step, &run, &group)
        }
    }

    private func isDue(_ run: Run) -> Bool {
        guard !run.isCommitting, !run.batch.isEmpty else { return false }
        let isLast = run.isAtEnd && run.inFlight == 0 && !run.isPulling
        let isNearEnd = run.left.map { $0 < batchLimits.maxMessages } ?? false
        let most = batchLimits.maxMessages
        let enough = isNearEnd ? min(batchLimits.lastMessages, most) : most
        return isLast || run.isAged || run.batch.count >= enough
            || run.batchBytes >= batchLimits.maxBytes
    }

    private func take(_ step: Step, _ run: inout Run, _ group: inout Group) throws {
        switch step {
        case .pulled(let messages):
            run.isPulling = false
            run.isAtEnd = run.isAtEnd || messages.isEmpty
            guard let last = messages.last else { return }
            run.left = last.left
            run.inFlight += 1
            let (number, takenAt) = (run.pulled, ContinuousClock.now)
            run.pulled += messages.count
            group.addTask { [stages] in
                let (processed, failure) = try await stages.process(messages, takenAt: takenAt)
                return .processed(processed, number: number, failure: failure)
            }
        case .processed(let messages, let number, let failure):
            run.inFlight -= 1
            for (offset, message) in messages.enumerated() { run.early[number + offset] = message }
            while let next = run.early.removeValue(forKey: run.batched) {
                run.batched += 1
                add(next, &run, &group)
            }
            if let failure { throw failure }
        case .committed(let result):
            run.isCommitting = false
            run.summary.timings += result.timings
            for message in result.stored { run.note(.stored(message)) }
            for failed in result.failed { run.note(.failed(failed.reference, failed.error)) }
            if let failure = result.failure { throw failure }
        case .aged(let number): if number == run.batchNumber { run.isAged = true }
        }
    }

    private func add(_ processed: ProcessedMessage, _ run: inout Run, _ group: inout Group) {
        switch processed {
        case .staged(let message, let timings):
            run.summary.timings += timings
            if run.batch.isEmpty {
                let (number, age) = (run.batchNumber, batchLimits.maxAge)
                group.addTask {
                    try? await Task.sleep(for: age)
                    return .aged(batch: number)
                }
            }
            run.batch.append(message)
            run.batchBytes += message.stagedBytes
        case .failed(let reference, let error): run.note(.failed(reference, error))
        }
    }

    private func commit(_ run: inout Run, _ group: inout Group) {
        let (batch, stage) = (run.batch, BatchCommit(store: store, source: run.source))
        run.batch = []
        run.batchBytes = 0
        run.batchNumber += 1
        run.isAged = false
        run.isCommitting = true
        group.addTask { .committed(try await stage.commit(batch)) }
    }

    /// After a failure: waits for the tasks under way and commits what is staged, as far as that still works.
    private func rescue(_ run: inout Run, _ group: inout Group) async {
        while true {
            do {
                guard let step = try await group.next() else { break }
                if case .pulled = step { continue }
                try take(step, &run, &group)
            } catch { continue }
        }
        for (_, processed) in run.early.sorted(by: { $0.key < $1.key }) { add(processed, &run, &group) }
        if !run.batch.isEmpty,
            let result = try? await BatchCommit(store: store, source: run.source).commit(run.batch)
        {
            try? take(.committed(result), &run, &group)
        }
        try? await run.source.finish()
    }
}
