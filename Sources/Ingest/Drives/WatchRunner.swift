package import FundCore
internal import Synchronization

/// Looks at watched folders, and begins the transfers that file what appears in them. The process that carries out
/// transfers runs it.
package final class WatchRunner: Sendable {
    /// Folders at a time, one of a person.
    private static let concurrency = 4
    /// Longest time for the list of a folder: a store that is slower holds up other people's folders.
    private static let listTime = Duration.seconds(300)
    /// Longest wait until it is looked for folders that are due.
    private static let tick = Duration.seconds(5)

    private struct State {
        var running: Set<User.ID> = []
        var counts = WatchTotals()
    }

    private let register: any WatchRegister
    private let drives: any DriveOperations
    private let limits: TransferLimits
    private let commits: Signal
    private let clock: @Sendable () -> Timestamp
    private let now: @Sendable () -> ContinuousClock.Instant
    private let observe: @Sendable (WatchEvent) -> Void
    private let state = Mutex(State())
    /// Raised when folders may be due, and when a look has ended.
    private let woken = Signal()

    /// - Parameters:
    ///   - commits: raised by each commit to the store.
    ///   - clock: tells how long a file holds still.
    ///   - now: tells how long files are moved; another only in tests.
    ///   - observe: hears what happens, on any thread.
    package init(
        _ register: any WatchRegister, _ drives: any DriveOperations, limits: TransferLimits, commits: Signal,
        clock: @escaping @Sendable () -> Timestamp = { .now },
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        observe: @escaping @Sendable (WatchEvent) -> Void = { _ in }
    ) {
        (self.register, self.drives, self.limits, self.commits) = (register, drives, limits, commits)
        (self.clock, self.now, self.observe) = (clock, now, observe)
    }

    /// The counters since this process began.
    package var totals: WatchTotals { state.withLock { $0.counts } }

    /// Looks at what is due, until the task is cancelled.
    package func run() async {
        await withDiscardingTaskGroup { group in
            group.addTask { [commits, woken] in await woken.follow(commits) }
            while !Task.isCancelled {
                let known = woken.count
                do {
                    while let watch = try await next() { group.addTask { await self.look(at: watch) } }
                } catch { observe(.storeFailed(error)) }
                await woken.wait(after: known, atMost: Self.tick)
            }
            group.cancelAll()
        }
    }

    /// Looks at what is due now, one folder after the other. Returns how many there were.
    @discardableResult
    package func lookDue() async throws -> Int {
        var count = 0
        while let watch = try await next() {
            await look(at: watch)
            count += 1
        }
        return count
    }

    /// The next folder, for which a place is taken; nil when none is due, or all places are taken.
    private func next() async throws -> DriveWatch? {
        let busy = state.withLock { $0.running.count < Self.concurrency ? $0.running : nil }
        guard let busy, let watch = try await register.nextWatch(besides: busy) else { return nil }
        state.withLock { _ = $0.running.insert(watch.user) }
        return watch
    }

    private func look(at watch: DriveWatch) async {
        do {
            try await work(watch)
            state.withLock { $0.counts.looks += 1 }
        } catch { await fail(watch, error) }
        state.withLock { _ = $0.running.remove(watch.user) }
        woken.raise()
    }

    private func work(_ watch: DriveWatch) async throws {
        let entries = try await entries(of: watch)
        let known = try await register.watchedFiles(of: watch.id)
        let look = WatchLook(watch: watch, now: clock(), maxFileBytes: limits.maxFileBytes)
        let findings = try look.findings(entries, known)
        guard try await register.noteLook(findings, of: watch) != .stopped else { return }
        let written = Set((findings.written.map(\.name) + findings.removed).map(ExactName.init))
        let files = findings.written + known.filter { !written.contains(ExactName($0.name)) }
        let filed = files.filter { $0.state == .filed && $0.goneAt == nil }.sorted { $0.name < $1.name }
        guard !filed.isEmpty else { return }
        try await WatchPutAway(register: register, drives: drives, watch: watch, entries: entries, now: now).run(filed)
        if findings.pulled.isEmpty { try await register.noteWorking(watch) }
    }

    private func entries(of watch: DriveWatch) async throws -> [DriveEntry] {
        let late = DriveError(.tooSlow, "the folder was not listed in \(Self.listTime)")
        return try await TimeLimited.run(atMost: Self.listTime, orThrow: late) { [drives] in
            try await drives.entries(in: watch.path, of: watch.drive, watch.user)
        }
    }

    /// Notes a failed look until the store takes it, or the task is cancelled: then the next process looks at once.
    private func fail(_ watch: DriveWatch, _ error: any Error) async {
        // Its owner changed it meanwhile.
        if error is CancellationError || (error as? StoreError)?.isOne(of: .conflict, .notFound) == true { return }
        let failure: DriveError =
            switch error {
            case let error as DriveError: error
            case let error as StoreError where error.code == .outOfSpace: DriveError(.noRoomHere)
            default: DriveError(.broken, "\(error)")
            }
        state.withLock { state in
            state.counts.looks += 1
            state.counts.failedLooks += 1
        }
        observe(.lookFailed(watch, failure))
        while !Task.isCancelled {
            let known = commits.count
            do { return try await register.noteFailedLook(failure.problem, failure.detail, of: watch.id) } catch {
                observe(.storeFailed(error))
            }
            await commits.wait(after: known, atMost: Self.tick)
        }
    }
}

/// An event of watched folders.
package enum WatchEvent: Sendable {
    case lookFailed(DriveWatch, DriveError)
    /// The store of this program cannot be read or written; it is tried again.
    case storeFailed(any Error)
}

/// Counters of watched folders.
package struct WatchTotals: Sendable, Hashable {
    package fileprivate(set) var looks = 0
    package fileprivate(set) var failedLooks = 0
}
