internal import Foundation
internal import GRDB

/// Transfers what the queue of an account has. Several may run at once, in this process and in others: each transfer is
/// done by one of them, and goes over to another when that one's process ends, however it does.
public actor TransferRunner {
    /// Poll interval: other processes change the queue without telling this one.
    private static let interval = Duration.milliseconds(500)
    /// Interval of looks for processes that are gone.
    private static let reclaimInterval = Duration.seconds(5)

    /// End of a run.
    public enum End: Sendable, Hashable {
        /// When nothing waits any more, not even for another attempt.
        case whenEmpty
        /// When its task is cancelled.
        case never
    }

    private let queue: TransferQueue
    private let cache: ContentCache
    private let server: any TransferServer
    private let slots: TransferSlots
    /// On this server.
    private let limit: Int
    private let policy = FailurePolicy()

    private struct Run {
        /// Tells it from a later one of the same transfer.
        var number: Int
        var task: Task<Void, Never>
    }

    /// The transfers that it works on; nil for the whole queue.
    private var batch: TransferBatch?
    private var running: [TransferID: Run] = [:]
    private var lastNumber = 0
    private var refusal: ClientError?
    private var reclaimedAt: ContinuousClock.Instant?

    /// - Parameters:
    ///   - limit: transfers at once on this server, from 1.
    ///   - slots: shared with the runners of other accounts; nil for as many as `limit`.
    public init(
        _ queue: TransferQueue, cache: ContentCache, server: any TransferServer, limit: Int = 6,
        slots: TransferSlots? = nil
    ) {
        (self.queue, self.cache, self.limit) = (queue, cache, max(limit, 1))
        // A transfer that failed is tried again by its place in the queue, and by nothing below.
        self.server = server.withoutRetries()
        self.slots = slots ?? TransferSlots(limit)
    }

    /// Works until the end that was asked for. What runs when its task is cancelled waits again afterwards.
    /// - Throws: `unauthenticated` and `certificate`, since no transfer can go on then; `local`, `noSpaceHere` when the
    ///   queue cannot be written.
    public func run(until end: End = .whenEmpty) async throws(ClientError) {
        try await work { () async throws(ClientError) in
            guard end == .whenEmpty, self.isIdle else { return false }
            return try await self.queue.waitingCount() == 0
        }
    }

    /// Works on the transfers of a batch alone, until each has ended, was paused, or failed so often in a row that it
    /// is left to a later runner. Those that are done or that failed leave the queue then, and what failed leaves no
    /// part behind.
    /// - Parameters:
    ///   - patience: attempts in a row that fail, from 1.
    ///   - onEnd: is told of each, one after the other.
    /// - Throws: as `run(until:)`; what was not told of then stays in the queue.
    public func run(
        _ batch: TransferBatch, patience: Int = 6, onEnd: @escaping @Sendable (Transfer) async -> Void
    ) async throws(ClientError) {
        self.batch = batch
        defer { queue.leave(batch) }
        do throws(ClientError) {
            try await queue.forgetStale()
            try await work { () async throws(ClientError) in
                // Asked before those that ended are told of: one more may end meanwhile.
                let isOpen = self.isIdle ? try await self.queue.isOpen(batch) : true
                try await self.settle(batch, patience, onEnd)
                return !isOpen
            }
        } catch {
            // Transfers that have ended are reported all the same.
            try? await settle(batch, patience, onEnd)
            throw error
        }
    }

    private var isIdle: Bool { running.isEmpty }

    private func settle(
        _ batch: TransferBatch, _ patience: Int, _ onEnd: @Sendable (Transfer) async -> Void
    ) async throws(ClientError) {
        let rows = try await queue.settled(batch, patience: patience)
        guard !rows.isEmpty else { return }
        for row in rows {
            if row.transfer.state == .failed {
                await Leftovers(of: row, queue: queue, cache: cache, server: server).remove()
            }
            await onEnd(row.transfer)
        }
        try await queue.release(rows.map(\.transfer.id))
    }

    /// - Parameter isDone: is asked again and again.
    private func work(until isDone: () async throws(ClientError) -> Bool) async throws(ClientError) {
        ProcessMark.sweep(queue.marks)
        let mark = try ProcessMark(in: queue.marks)
        let (ticks, ticker) = tick()
        defer { ticker.cancel() }
        var sleep = SleepWatch()
        do throws(ClientError) {
            for await _ in ticks {
                if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
                if let refusal { throw refusal }
                if sleep.hasSlept() { try await queue.tryNow() }
                try await look(mark)
                if try await isDone() { break }
            }
            if Task.isCancelled { throw ClientError(.cancelled, "cancelled") }
        } catch {
            await stop(mark)
            throw error
        }
        await stop(mark)
    }

    /// An element when something may be new.
    private func tick() -> (AsyncStream<Void>, Task<Void, Never>) {
        let (ticks, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let wakes = queue.wakes()
        let ticker = Task {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { for await _ in wakes { continuation.yield() } }
                group.addTask {
                    while !Task.isCancelled {
                        continuation.yield()
                        try? await Task.sleep(for: Self.interval)
                    }
                }
            }
            continuation.finish()
        }
        return (ticks, ticker)
    }

    /// Sees what others did, and begins what can begin.
    private func look(_ mark: ProcessMark) async throws(ClientError) {
        let now = ContinuousClock.now
        if reclaimedAt.map({ now - $0 >= Self.reclaimInterval }) ?? true {
            reclaimedAt = now
            try await queue.reclaim()
            await dropAbandoned()
        }
        if !running.isEmpty {
            try await queue.note(queue.progressBoard.all.mapValues(\.bytes))
            let held = try await queue.held(by: mark)
            for (id, run) in running where !held.contains(id) { run.task.cancel() }
        }
        let count = slots.take(limit - running.count)
        guard count > 0 else { return }
        let rows: [TransferRow]
        do throws(ClientError) {
            rows = try await queue.claim(count, for: mark, of: batch)
        } catch {
            slots.give(count)
            throw error
        }
        slots.give(count - rows.count)
        for row in rows { start(row, mark) }
    }

    private func start(_ row: TransferRow, _ mark: ProcessMark) {
        let id = row.transfer.id
        lastNumber += 1
        let number = lastNumber
        // It was paused and resumed, and the run before has not ended yet.
        let before = running[id]?.task
        let task = Task {
            before?.cancel()
            await before?.value
            queue.progressBoard.begin(id, size: row.transfer.size)
            do throws(ClientError) {
                switch row.transfer.work {
                case .download(let download):
                    try await DownloadWork(
                        row: row, download: download, server: server, queue: queue, cache: cache, mark: mark
                    ).run()
                case .upload(let upload):
                    try await UploadWork(row: row, upload: upload, server: server, queue: queue, mark: mark).run()
                }
            } catch {
                await note(error, of: row, mark)
            }
            queue.progressBoard.end(id)
            if running[id]?.number == number { running[id] = nil }
            slots.give(1)
            queue.wake()
        }
        running[id] = Run(number: number, task: task)
    }

    private func note(_ error: ClientError, of row: TransferRow, _ mark: ProcessMark) async {
        let id = row.transfer.id
        let bytes = queue.progressBoard.all[id]?.bytes ?? row.transfer.bytes
        if Task.isCancelled || error.code == .cancelled {
            await putBack(row, mark, bytes)
            return
        }
        // The bytes were of no use: the next attempt begins anew.
        let isVain = error.code == .damaged || error.code == .changedHere
        let damages = row.damages + (isVain ? 1 : 0)
        // An attempt that brought bytes is a good one, except when they were the wrong ones.
        let attempts = isVain ? damages : bytes > row.transfer.bytes ? 1 : row.transfer.attempts + 1
        var values: [String: (any DatabaseValueConvertible & Sendable)?] = [
            "attempts": attempts, "damages": damages, "bytes": isVain ? 0 : bytes,
            "failure_code": error.code.rawValue,
            "failure": error.detail, "holder": String?.none,
        ]
        switch policy.outcome(of: error, attempts: attempts) {
        case .again(let delay):
            values["state"] = Transfer.State.waiting.rawValue
            values["next_attempt_at"] = Date().milliseconds + Int64(delay / .milliseconds(1))
        case .failed:
            values["state"] = Transfer.State.failed.rawValue
            values["finished_at"] = Date().milliseconds
            values["landing"] = String?.none
        case .stop:
            values["state"] = Transfer.State.waiting.rawValue
            values["attempts"] = row.transfer.attempts
            refusal = error
        }
        // Fails when it was paused, cancelled or taken over meanwhile: then that counts.
        try? await queue.set(id, heldBy: mark, values)
    }

    /// It was ended from here or by a person. What a cancelled one leaves is removed.
    private func putBack(_ row: TransferRow, _ mark: ProcessMark, _ bytes: Int64) async {
        // Not by this task: it is cancelled, and so would be its access to the database.
        await Task { [queue, cache, server] in
            let id = row.transfer.id
            try? await queue.set(
                id, heldBy: mark,
                ["state": Transfer.State.waiting.rawValue, "holder": String?.none, "bytes": bytes])
            guard let now = try? await queue.row(id), now.transfer.state == .cancelled else { return }
            await Leftovers(of: now, queue: queue, cache: cache, server: server).remove()
        }.value
    }

    /// Removes the leftovers of transfers that were given up while no process had them.
    private func dropAbandoned() async {
        guard let all = try? await queue.abandoned() else { return }
        for id in all where running[id] == nil {
            guard let row = try? await queue.row(id) else { continue }
            await Leftovers(of: row, queue: queue, cache: cache, server: server).remove()
        }
    }

    private func stop(_ mark: ProcessMark) async {
        for run in running.values { run.task.cancel() }
        for run in running.values { await run.task.value }
    }
}
