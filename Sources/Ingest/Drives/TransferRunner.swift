package import FundCore
internal import Synchronization

/// Carries out transfers between drives and funds. Of several processes that run it on a store one carries them out,
/// and another takes its place when that ends.
package final class TransferRunner: Sendable {
    /// Transfers at a time, of all people and of one.
    private static let concurrency = 6
    private static let ofOnePerson = 1
    /// Files under way at a time: as many as one transfer reads for two people, and one for each of the others.
    private static let maxFiles = 2 * PullRun.concurrency + concurrency - 2
    /// Time that a transfer may bring files while others wait for a place, and for which it may bring none.
    private static let turn = Duration.seconds(600)
    private static let longestTurn = Duration.seconds(3600)
    /// Time after which another transfer is to make room, where the one whose turn is over has not: it may be in the
    /// middle of a large file.
    private static let roomWait = Duration.seconds(60)
    /// Longest wait until it is looked for transfers that are due.
    private static let tick = Duration.seconds(5)
    /// Time between two looks for transfers that ended long ago.
    private static let removalPeriod = Duration.seconds(86_400)

    private struct State {
        var running: [User.ID: Int] = [:]
        /// Failures in a row of transfers that are put off.
        var failures: [DriveTransfer.ID: Int] = [:]
        var counts = TransferCounts()
        var turns: [DriveTransfer.ID: Turn] = [:]
    }

    /// A transfer that has a place.
    private struct Turn {
        let count: TransferCount
        let begunAt: ContinuousClock.Instant
        /// When its first file was seen to have arrived: before, it looks at what it has.
        var arrivedAt: ContinuousClock.Instant?
        /// When it was to make room; nil while it has its turn.
        var endedAt: ContinuousClock.Instant?
    }

    private let register: any TransferRegister
    private let drives: any DriveOperations
    private let library: any TransferLibrary
    private let limits: TransferLimits
    private let watches: WatchRunner?
    private let commits: Signal
    private let pause: @Sendable (Int) -> Duration
    private let now: @Sendable () -> ContinuousClock.Instant
    private let observe: @Sendable (TransferEvent) -> Void
    private let state = Mutex(State())
    /// Each transfer that runs has a place, however long others keep theirs.
    private let places = ResourcePool(
        Array(0..<TransferRunner.maxFiles),
        shares: PoolShares(origins: TransferRunner.concurrency, most: PullRun.concurrency))
    /// Raised when transfers may be due, and when one has ended.
    private let woken = Signal()

    /// - Parameters:
    ///   - watches: looks at watched folders while this process carries out transfers.
    ///   - commits: raised by each commit to the store, as `MailLibrary.commits` is.
    ///   - pause: before the attempt after this many failures in a row.
    ///   - now: the clock of the pace of transfers; another only in tests.
    ///   - observe: hears what happens, on any thread.
    package init(
        _ register: any TransferRegister, _ drives: any DriveOperations, _ library: any TransferLibrary,
        limits: TransferLimits, watches: WatchRunner? = nil, commits: Signal,
        pause: @escaping @Sendable (Int) -> Duration = { TransferPace.pause(failures: $0) },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        observe: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) {
        (self.register, self.drives, self.library, self.commits) = (register, drives, library, commits)
        (self.limits, self.watches, self.pause, self.now) = (limits, watches, pause, now)
        self.observe = observe
    }

    /// The counters since this process began.
    package var counts: TransferCounts { state.withLock { $0.counts } }

    /// Carries out what is due, until the task is cancelled. What runs then is gone on with by the next process.
    package func run() async {
        var lease: (any MailboxLease)?
        var removedAt: ContinuousClock.Instant?
        await withDiscardingTaskGroup { group in
            group.addTask { [commits, woken] in await woken.follow(commits) }
            while !Task.isCancelled {
                let known = woken.count
                do {
                    if lease == nil {
                        lease = try await register.transferLease()
                        if lease != nil, let watches { group.addTask { await watches.run() } }
                    }
                    while lease != nil, let transfer = try await next() {
                        group.addTask { await self.carryOut(transfer) }
                    }
                    if lease != nil { try await shareTurns() }
                    if lease != nil, removedAt.map({ .now - $0 >= Self.removalPeriod }) ?? true {
                        while try await register.removeOldTransfers(before: .now - DriveLimits.retention) > 0 {}
                        removedAt = .now
                    }
                } catch { observe(.storeFailed(error)) }
                await woken.wait(after: known, atMost: Self.tick)
            }
            group.cancelAll()
        }
        lease?.end()
    }

    /// Carries out what is due now, one transfer after the other. Returns how many there were.
    @discardableResult
    package func runDue() async throws -> Int {
        var count = 0
        while let transfer = try await next() {
            await carryOut(transfer)
            count += 1
        }
        return count
    }

    /// The next transfer, for which a place is taken; nil when none waits, or all places are taken.
    private func next() async throws -> DriveTransfer? {
        let busy: Set<User.ID>? = state.withLock { state in
            guard state.running.values.reduce(0, +) < Self.concurrency else { return nil }
            return Set(state.running.filter { $0.value >= Self.ofOnePerson }.keys)
        }
        guard let busy, let transfer = try await register.nextTransfer(besides: busy) else { return nil }
        state.withLock { $0.running[transfer.user, default: 0] += 1 }
        return transfer
    }

    /// Has the transfer that has its turn for longest make room, where others wait and no place is free.
    private func shareTurns() async throws {
        let time = now()
        let busy: Set<User.ID>? = state.withLock { state in
            for (id, turn) in state.turns where turn.arrivedAt == nil && turn.count.arrived > 0 {
                state.turns[id]?.arrivedAt = time
            }
            guard state.turns.count >= Self.concurrency else { return nil }
            return Set(state.running.keys)
        }
        guard let busy, try await register.isTransferWaiting(besides: busy) else { return }
        state.withLock { state in
            let isDue: (Turn) -> Bool = { turn in
                turn.endedAt == nil
                    && (time - (turn.arrivedAt ?? time) >= Self.turn || time - turn.begunAt >= Self.longestTurn)
            }
            let isAwaited = state.turns.values.contains { $0.endedAt.map { time - $0 < Self.roomWait } ?? false }
            guard !isAwaited,
                let due = state.turns.filter({ isDue($0.value) }).min(by: { $0.value.begunAt < $1.value.begunAt })
            else { return }
            state.turns[due.key]?.endedAt = time
            due.value.count.endTurn()
        }
    }

    private func carryOut(_ transfer: DriveTransfer) async {
        let run = TransferRun(
            register: register, drives: drives, library: library, transfer: transfer, limits: limits,
            commits: commits, places: places, now: now)
        state.withLock { $0.turns[transfer.id] = Turn(count: run.count, begunAt: now()) }
        let outcome = await run.run()
        await end(transfer, run.count, outcome)
        state.withLock { state in
            let left = (state.running[transfer.user] ?? 1) - 1
            state.running[transfer.user] = left > 0 ? left : nil
            state.turns[transfer.id] = nil
        }
        woken.raise()
    }

    private func end(_ transfer: DriveTransfer, _ count: TransferCount, _ outcome: TransferRun.Outcome) async {
        let id = transfer.id
        if case .stopped = outcome { return }
        let progress = count.progress
        if case .turnOver = outcome {
            state.withLock { $0.failures[id] = nil }
            return await note(progress, of: id) { [register] in
                try await register.deferTransfer(id, until: .now, problem: nil, detail: nil)
            }
        }
        if case .forNow(let error) = outcome {
            let failures = state.withLock { state in
                let failures = count.arrived > 0 ? 1 : (state.failures[id] ?? 0) + 1
                state.failures[id] = failures
                return failures
            }
            if failures < (transfer.watch == nil ? TransferPace.maxPauses : TransferPace.maxPausesOfWatch) {
                observe(.putOff(transfer, error))
                let time = Timestamp.now + pause(failures)
                return await note(progress, of: id) { [register] in
                    try await register.deferTransfer(id, until: time, problem: error.problem, detail: error.detail)
                }
            }
        }
        state.withLock { state in
            state.failures[id] = nil
            state.counts.add(transfer.direction, progress)
        }
        let (ending, problem, detail) = Self.ending(outcome, count)
        observe(.ended(transfer, ending, progress, problem, detail))
        await note(progress, of: id) { [register] in
            try await register.endTransfer(id, as: ending, problem: problem, detail: detail)
        }
    }

    /// Writes the end of an attempt until the store takes it, as a full disk may not, or the task is cancelled: then
    /// the next process finds the transfer running, and tries it again.
    private func note(
        _ progress: TransferProgress, of id: DriveTransfer.ID, writing end: @Sendable () async throws -> Void
    ) async {
        var (hasProgress, hasFailed) = (false, false)
        while true {
            if !hasProgress { hasProgress = (try? await register.noteProgress(progress, of: id)) != nil }
            // The commit of the progress is none to wait for.
            let known = commits.count
            do { return try await end() } catch {
                if !hasFailed { observe(.storeFailed(error)) }
                hasFailed = true
            }
            guard !Task.isCancelled else { return }
            await commits.wait(after: known, atMost: Self.tick)
            guard !Task.isCancelled else { return }
        }
    }

    private static func ending(
        _ outcome: TransferRun.Outcome, _ count: TransferCount
    ) -> (state: DriveTransfer.State, problem: DriveProblem?, detail: String?) {
        switch outcome {
        case .cancelled, .stopped, .turnOver: return (.cancelled, nil, nil)
        case .failed(let error), .forNow(let error): return (.failed, error.problem, error.detail)
        case .done:
            guard let failure = count.failure else { return (.done, nil, nil) }
            return (.failed, failure.problem, failure.detail)
        }
    }
}

/// An event of the transfers between drives and funds.
package enum TransferEvent: Sendable {
    case ended(DriveTransfer, DriveTransfer.State, TransferProgress, DriveProblem?, String?)
    /// The rest is tried after a pause.
    case putOff(DriveTransfer, DriveError)
    /// The store cannot be read or written; it is tried again.
    case storeFailed(any Error)
}

/// Counters of transfers that ended, by their direction.
package struct TransferCounts: Sendable, Hashable {
    package private(set) var transfers: [DriveTransfer.Direction: Int] = [:]
    package private(set) var files: [DriveTransfer.Direction: Int] = [:]
    package private(set) var failedFiles: [DriveTransfer.Direction: Int] = [:]
    package private(set) var bytes: [DriveTransfer.Direction: Int64] = [:]

    mutating func add(_ direction: DriveTransfer.Direction, _ progress: TransferProgress) {
        transfers[direction, default: 0] += 1
        files[direction, default: 0] += progress.files
        failedFiles[direction, default: 0] += progress.failedFiles
        bytes[direction, default: 0].add(progress.bytes)
    }
}
