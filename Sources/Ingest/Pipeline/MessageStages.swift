internal import FundCore

/// The result for one message: staged, or failed since its bytes could not be read.
enum ProcessedMessage: Sendable {
    case staged(StagedMessage, StageTimings)
    case failed(SourceReference, any Error)
}

/// The stages of one message up to its batch: spool, parse, route, stage.
struct MessageStages: Sendable {
    let store: any IngestStore
    let parser: any MessageParser
    let policy: RoutingPolicy
    let limits: ParseLimits
    /// Nil: no sender is told what becomes of a message.
    let receipts: ReceiptPolicy?

    private enum Spooled {
        case message(PendingMessage, SpooledMessage, StageTimings)
        case failed(SourceReference, any Error)

        var message: SpooledMessage? {
            if case .message(_, let message, _) = self { message } else { nil }
        }
    }

    /// Takes messages through the stages in their order, with one child. Blocks only the parser's thread. While this
    /// thread stages one, the child parses the next.
    ///
    /// - Parameter takenAt: when the source gave them.
    /// - Returns: fewer results than messages, and why, when the store or the parser failed.
    func process(
        _ messages: [PendingMessage], takenAt: ContinuousClock.Instant
    ) async throws -> (processed: [ProcessedMessage], failure: (any Error)?) {
        try await parser.withWorker { worker in
            var processed: [ProcessedMessage] = []
            var rest = messages[...]
            do {
                while !rest.isEmpty {
                    let (spooled, failure) = spool(&rest)
                    var announced = spooled.compactMap(\.message)[...]
                    worker.prepare(announced, limits: limits)
                    for next in spooled {
                        if next.message != nil { announced.removeFirst() }
                        processed.append(
                            try process(next, worker, takenAt) { worker.prepare(announced, limits: limits) })
                    }
                    if let failure { throw failure }
                }
                return (processed, nil)
            } catch {
                return (processed, error)
            }
        }
    }

    /// Spools messages until they are as many bytes as a child is given at once: of large ones one at a time.
    ///
    /// - Returns: with why, when the store cannot be written, after those before.
    private func spool(_ rest: inout ArraySlice<PendingMessage>) -> (spooled: [Spooled], failure: (any Error)?) {
        var (spooled, bytes): ([Spooled], Int64) = ([], 0)
        do {
            while bytes < Int64(SpoolWriter.memoryBytes), let message = rest.popFirst() {
                spooled.append(try spool(message))
                bytes += spooled.last?.message?.size ?? 0
            }
            return (spooled, nil)
        } catch {
            return (spooled, error)
        }
    }

    private func spool(_ pending: PendingMessage) throws -> Spooled {
        var timings = StageTimings()
        do {
            let spooled = try timings.time(\.spool) { try pending.spool(store.spool) }
            return .message(pending, spooled, timings)
        } catch let error as DiskError {
            throw error  // the store cannot be written: the run ends
        } catch {
            return .failed(pending.reference, error)
        }
    }

    /// `whenParsed` is called when the child can take the next message.
    private func process(
        _ spooled: Spooled, _ worker: any ParseWorker, _ takenAt: ContinuousClock.Instant, whenParsed: () -> Void
    ) throws -> ProcessedMessage {
        switch spooled {
        case .failed(let reference, let error): return .failed(reference, error)
        case .message(let pending, let spooled, var timings):
            var parsed = try timings.time(\.parse) { try worker.parse(spooled, limits: limits) }
            whenParsed()
            if let refusal = pending.refusal { parsed = parsed.refused(refusal) }
            if pending.reference.hasSizeMismatch { parsed = parsed.adding(.sizeMismatch) }
            if let defect = pending.defect { parsed = parsed.adding(defect) }
            let policy = pending.policy ?? policy
            let message = try timings.time(\.route) {
                let directory = try store.directory()
                let bounce = try BounceReader { try store.attempt(ofReturnPath: $0) }.bounce(in: parsed)
                let decision =
                    bounce == nil
                    ? Router(directory: directory, policy: policy).route(parsed)
                    : RoutingDecision(outcome: Reason.bounce.outcome, reason: .bounce)
                var message = RoutedMessage(
                    reference: pending.reference, spooled: spooled, parsed: parsed, decision: decision, policy: policy,
                    takenAt: takenAt)
                message.refusal = pending.refusal
                message.receivedAt = pending.receivedAt
                message.bounce = bounce
                message.receipt = receipts?.request(for: message, trust: policy.trust, directory, now: .now)
                return message
            }
            do {
                let staged = try timings.time(\.stage) {
                    try store.stage(message, readAttachment: worker.readAttachment)
                }
                return .staged(staged, timings)
            } catch let error as StoreError where error.code == .corrupted {
                // A damaged page of the database keeps the messages from being looked up whose rows are there.
                return .failed(pending.reference, error)
            }
        }
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
