package import FundCore

/// The way of a message: spool, parse, route, stage, commit in batches, acknowledge.
///
/// One loop holds all state and waits for whichever comes first: the next message of the source, a message that was taken
/// apart, a batch that became durable, or the age limit of the batch that is being gathered.
package struct IngestPipeline: Sendable {
    private let store: any IngestStore
    private let parser: any MessageParser
    private let policy: RoutingPolicy
    private let limits: ParseLimits
    private let batchLimits: BatchLimits

    package init(
        store: any IngestStore, parser: any MessageParser, policy: RoutingPolicy, limits: ParseLimits = ParseLimits(),
        batchLimits: BatchLimits = BatchLimits()
    ) {
        self.store = store
        self.parser = parser
        self.policy = policy
        self.limits = limits
        self.batchLimits = batchLimits
    }

    /// Runs until the source is at its end or `shouldStop` says so; then what was begun is finished and acknowledged.
    /// Throws `IngestError` when the store cannot be written, no parser can be started or the source breaks down; what was
    /// committed before stays, and what was not is still at its source.
    package func run(
        _ source: any MessageSource, shouldStop: @escaping @Sendable () -> Bool = { false },
        onEvent: @escaping @Sendable (IngestEvent) -> Void = { _ in }
    ) async throws -> RunSummary {
        let start = ContinuousClock.now
        var summary = try await withThrowingTaskGroup(of: Step.self) { group in
            var run = Run(source: source, shouldStop: shouldStop, onEvent: onEvent)
            do {
                try await drive(&run, &group)
                try await source.finish()
            } catch {
                // What was begun is let go, but what is staged already is whole: one more batch saves the work.
                group.cancelAll()
                await rescue(&run, &group)
                run.summary.seconds = (ContinuousClock.now - start).seconds
                throw IngestError(summary: run.summary, underlying: error)
            }
            group.cancelAll()  // an age limit that nobody waits for any more
            return run.summary
        }
        summary.seconds = (ContinuousClock.now - start).seconds
        return summary
    }

    // MARK: The loop

    private enum Step: Sendable {
        case pulled([PendingMessage])
        /// Some messages that follow each other in the source, of which the first has this number; fewer than were asked
        /// for when the store or the parser failed.
        case processed([Processed], number: Int, failure: (any Error)?)
        /// What was stored, and why the rest of the batch was not.
        case committed([StoredMessage], StageTimings, failure: (any Error)?)
        case aged(batch: Int)
    }

    private enum Processed: Sendable {
        case staged(StagedMessage, StageTimings)
        case failed(SourceReference, any Error)
    }

    /// Messages that one child takes one after the other: each hand-over between threads costs about as much as parsing a small
    /// message. Few enough that at the end of a source no child is idle for long.
    private static let chunkMessages = 8

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
        var isCommitting = false
        var isAged = false
        /// Chunks that are being taken apart.
        var inFlight = 0
        /// Messages are numbered as the source gives them, and batched in that order: which of two equal messages is the
        /// duplicate, and which of two `report.pdf` is `report(1).pdf`, does not depend on chance.
        var pulled = 0
        var batched = 0
        /// Done before one that came earlier, by number.
        var early: [Int: Processed] = [:]
    }

    private typealias Group = ThrowingTaskGroup<Step, any Error>

    private func drive(_ run: inout Run, _ group: inout Group) async throws {
        // One chunk more for each child than it can work on, so that none waits for the loop.
        let maxInFlight = 2 * parser.concurrency
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
        return isLast || run.isAged || run.batch.count >= batchLimits.maxMessages
            || run.batchBytes >= batchLimits.maxBytes
    }

    private func take(_ step: Step, _ run: inout Run, _ group: inout Group) throws {
        switch step {
        case .pulled(let messages):
            run.isPulling = false
            run.isAtEnd = run.isAtEnd || messages.isEmpty
            guard !messages.isEmpty else { return }
            run.inFlight += 1
            let number = run.pulled
            run.pulled += messages.count
            group.addTask { try await process(messages, number: number) }
        case .processed(let messages, let number, let failure):
            run.inFlight -= 1
            for (offset, message) in messages.enumerated() { run.early[number + offset] = message }
            while let next = run.early.removeValue(forKey: run.batched) {
                run.batched += 1
                add(next, &run, &group)
            }
            if let failure { throw failure }
        case .committed(let messages, let timings, let failure):
            run.isCommitting = false
            run.summary.timings += timings
            for message in messages {
                run.summary.add(message)
                run.onEvent(.stored(message))
            }
            if let failure { throw failure }
        case .aged(let number): if number == run.batchNumber { run.isAged = true }
        }
    }

    private func add(_ processed: Processed, _ run: inout Run, _ group: inout Group) {
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
        case .failed(let reference, let error):
            run.summary.seen += 1
            run.summary.failed += 1
            run.onEvent(.failed(reference, error))
        }
    }

    // MARK: One message

    private enum Spooled {
        case message(PendingMessage, SpooledMessage, StageTimings)
        case failed(SourceReference, any Error)

        var message: SpooledMessage? {
            if case .message(_, let message, _) = self { message } else { nil }
        }
    }

    /// Blocks only on the parser's thread. While the child reads a message this side spools the next one, and while this side
    /// stores a message the child reads the next: neither waits for the other as long as both have work.
    private func process(_ messages: [PendingMessage], number: Int) async throws -> Step {
        try await parser.withWorker { worker in
            var processed: [Processed] = []
            var current: Spooled?
            var next: Spooled?
            do {
                for (index, message) in messages.enumerated() {
                    current = try next ?? spool(message)
                    next = nil
                    current?.message.map { worker.prepare($0, limits: limits) }
                    if index + 1 < messages.count { next = try spool(messages[index + 1]) }
                    guard let spooled = current else { continue }
                    processed.append(
                        try process(spooled, worker) { next?.message.map { worker.prepare($0, limits: limits) } })
                    current = nil
                }
                return .processed(processed, number: number, failure: nil)
            } catch {
                current?.message?.discard()
                next?.message?.discard()
                return .processed(processed, number: number, failure: error)
            }
        }
    }

    private func spool(_ pending: PendingMessage) throws -> Spooled {
        var timings = StageTimings()
        do {
            let spooled = try timings.time(\.spool) { try pending.spool(store.spool) }
            return .message(pending, spooled, timings)
        } catch let error as SpoolError {
            throw error  // the store cannot be written: nothing can go on
        } catch {
            return .failed(pending.reference, error)
        }
    }

    /// `whenParsed` is called when the child is free.
    private func process(
        _ spooled: Spooled, _ worker: any ParseWorker, whenParsed: () -> Void
    ) throws -> Processed {
        switch spooled {
        case .failed(let reference, let error): return .failed(reference, error)
        case .message(let pending, let spooled, var timings):
            var parsed = try timings.time(\.parse) { try worker.parse(spooled, limits: limits) }
            whenParsed()
            if let refusal = pending.refusal { parsed = parsed.refused(refusal) }
            if pending.reference.hasSizeMismatch { parsed = parsed.adding(.sizeMismatch) }
            let decision = try timings.time(\.route) {
                Router(directory: try store.directory(), policy: policy).route(parsed)
            }
            var message = RoutedMessage(
                reference: pending.reference, spooled: spooled, parsed: parsed, decision: decision, policy: policy)
            message.refusal = pending.refusal
            let staged = try timings.time(\.stage) {
                try store.stage(message, readAttachment: worker.readAttachment)
            }
            return .staged(staged, timings)
        }
    }

    // MARK: One batch

    private func commit(_ run: inout Run, _ group: inout Group) {
        let (batch, source) = (run.batch, run.source)
        run.batch = []
        run.batchBytes = 0
        run.batchNumber += 1
        run.isAged = false
        run.isCommitting = true
        group.addTask { try await commit(batch, source) }
    }

    private func commit(_ batch: [StagedMessage], _ source: any MessageSource) async throws -> Step {
        var timings = StageTimings()
        let faults = store.spool.faults
        let start = ContinuousClock.now
        let (stored, failure) = await storeWhatFits(batch)
        let durable = ContinuousClock.now
        timings.commit = durable - start
        faults.reach(.beforeAcknowledge)
        if !stored.isEmpty { try await source.acknowledge(stored) }
        faults.reach(.afterAcknowledge)
        timings.acknowledge = ContinuousClock.now - durable
        return .committed(stored, timings, failure: failure)
    }

    /// All of the batch, or what fits on a disk that is full: the rest is taken out of the store again, since it is still at its source.
    private func storeWhatFits(_ batch: [StagedMessage]) async -> (stored: [StoredMessage], failure: (any Error)?) {
        do {
            return (try await store.commit(batch), nil)
        } catch {
            let condition = (error as? StoreError)?.condition
            guard condition == .outOfSpace, batch.count > 1 else {
                // After any other error the rows may have been committed all the same.
                if condition == .outOfSpace || condition == .busy { await store.abandon(batch) }
                return ([], error)
            }
            let first = await storeWhatFits(Array(batch[..<(batch.count / 2)]))
            let second = await storeWhatFits(Array(batch[(batch.count / 2)...]))
            return (first.stored + second.stored, first.failure ?? second.failure)
        }
    }

    /// After a failure: waits for what is under way and commits what is staged, as far as that still works.
    private func rescue(_ run: inout Run, _ group: inout Group) async {
        while true {
            do {
                guard let step = try await group.next() else { break }
                if case .pulled = step { continue }
                try take(step, &run, &group)
            } catch { continue }
        }
        for (_, processed) in run.early.sorted(by: { $0.key < $1.key }) { add(processed, &run, &group) }
        if !run.batch.isEmpty, let step = try? await commit(run.batch, run.source) { try? take(step, &run, &group) }
        try? await run.source.finish()
    }
}

extension StageTimings {
    fileprivate mutating func time<Result>(
        _ stage: WritableKeyPath<StageTimings, Duration>, _ work: () throws -> Result
    ) rethrows -> Result {
        let start = ContinuousClock.now
        defer { self[keyPath: stage] += ContinuousClock.now - start }
        return try work()
    }
}
