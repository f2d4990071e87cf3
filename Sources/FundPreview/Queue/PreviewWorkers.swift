internal import ChildProcesses
package import FundCore
internal import Glibc
internal import Logging
internal import Synchronization

/// Takes work from the register and does it, a few pieces at a time, as long as the process runs. One process for each
/// store works; another one waits until that ends.
package final class PreviewWorkers: Sendable {
    /// While another process works.
    private static let claimPause = Duration.seconds(10)
    /// Work may be due without a sign: it was put off, or another process ordered it.
    private static let idlePause = Duration.seconds(2)
    /// After a failure of the store or the system.
    private static let failurePause = Duration.seconds(5)
    private static let scannerPause = Duration.seconds(60)
    /// Pause of work that waits for a scan, whose end wakes it; the pause serves files released without one.
    private static let verdictPause = Duration.seconds(60)
    /// Scans at a time, but for those that take long: a scanner that hangs at a file holds no others up.
    private static let maxQuickScans = 3
    /// All of them. clamd takes ten questions at a time (`MaxThreads`).
    private static let maxScans = 7
    /// After this a scan takes long.
    private static let quickScanTime = Duration.seconds(5)
    /// Pauses of work for whose copy the disk has no room: twice as long each time.
    private static let roomPauses = (first: Duration.seconds(10), longest: Duration.seconds(600))
    /// Number of deaths of converter processes at one content that shows that it causes them.
    private static let maxDeaths = 3

    private struct State {
        var running: [PreviewJob.ID: PreviewJob] = [:]
        /// When the scans under way began.
        var scans: [PreviewJob.ID: ContinuousClock.Instant] = [:]
        /// Families of the work under way, as they become known.
        var families: [PreviewJob.ID: TrueType.Family] = [:]
        var roundRobin = RoundRobin()
        var breaker = CrashBreaker()
        /// Converter processes that died, by what they worked at.
        var deaths: [RenditionKey: Int] = [:]
        /// How often there was no room for a copy, by what it was for.
        var lacksOfRoom: [RenditionKey: Int] = [:]
        /// True while a second attempt waits until nothing else runs but work that a user waits for.
        var isDraining = false
        /// Nothing begins before this, after a failure of the system.
        var pausedUntil: ContinuousClock.Instant?
        var statistics = PreviewStatistics()
        var pressure: (pressure: MachinePressure, at: ContinuousClock.Instant)?
        /// When work began last for which neither a request nor a list waits; scans do not count.
        var lastBackground: ContinuousClock.Instant?
    }

    let register: any PreviewRegister
    /// Raised when there may be more to do.
    let wake = Signal()
    /// Raised when a piece of work has ended.
    package let finished = Signal()
    let news = PreviewNews()
    private let work: PreviewWork
    private let settings: PreviewSettings
    private let freeBytes: @Sendable () async throws -> Int64
    private let logger: Logger
    private let state = Mutex(State())
    private let throttle: BackgroundThrottle
    private let processorMeter = Mutex(PressureMeter())

    /// - Parameters:
    ///   - folder: for large inputs, on a disk.
    ///   - scan: nil where nothing is scanned.
    ///   - mails: what parses mails that are files, within which limits; nil where they are shown as text.
    ///   - contents: opens a content, also one in quarantine; nil for one that is not there, of which nothing is noted.
    ///   - freeBytes: left on the store's disk.
    ///   - now: clock of the pauses between two pieces of background work; another only in tests.
    package init(
        register: any PreviewRegister, converter: any Converter, settings: PreviewSettings, folder: String,
        scan: ScanSettings? = nil, mails: (parser: any MessageParser, limits: ParseLimits)? = nil,
        freeBytes: @escaping @Sendable () async throws -> Int64,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now },
        contents: @escaping @Sendable (ContentDigest, _ size: Int64) throws -> (any StoredContent)?
    ) {
        self.register = register
        throttle = BackgroundThrottle(now: now)
        self.settings = settings
        self.freeBytes = freeBytes
        work = PreviewWork(
            converter: converter, register: register, folder: folder,
            room: CopyRoom(minFreeBytes: settings.minFreeBytes, freeBytes: freeBytes), scan: scan,
            recognition: settings.recognition,
            mails: mails.map { MailReader(parser: $0.parser, limits: $0.limits, folder: folder) }, contents: contents)
        logger = Logger(label: "fundmail.previews")
    }

    package var statistics: PreviewStatistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.running = state.running.count
            return statistics
        }
    }

    func noteUse() { throttle.noteUse() }

    func marked(_ picture: PreviewContent, with mark: Watermark) async throws -> [UInt8] {
        try await work.marked(picture, with: mark)
    }

    func document(ofHTML html: [UInt8]) async throws -> [UInt8] { try await work.document(ofHTML: html) }

    func transientFile(
        of size: Int64?, atMost most: Int64, reading read: @escaping PieceReading
    ) async throws -> TransientCopy {
        try await work.transientFile(of: size, atMost: most, reading: read)
    }

    func note(_ change: (inout PreviewStatistics) -> Void) { state.withLock { change(&$0.statistics) } }

    /// Works until the task is cancelled; what is under way then waits again.
    package func run() async {
        while !Task.isCancelled {
            do {
                guard try await register.claimWork() else {
                    try await Task.sleep(for: Self.claimPause)
                    continue
                }
                try await register.resumeWork()
                // Tools may have been installed since, and recipes may be better.
                _ = try await register.forgetFailures([.noTool, .noSandbox])
                try await register.forgetFailures(before: PreviewRecipe.current)
                try await register.limitRecognition(toPages: settings.recognition?.maxPages)
                try await dispatch()
            } catch is CancellationError {
                break
            } catch {
                logger.error("previews are not made for now: \(error)")
                try? await Task.sleep(for: Self.failurePause)
            }
        }
    }

    private func dispatch() async throws {
        try await withThrowingDiscardingTaskGroup { group in
            while !Task.isCancelled {
                // Read before the register: what is ordered meanwhile ends the wait below at once.
                let known = wake.count
                if let job = try await nextJob() {
                    state.withLock { state in
                        state.running[job.id] = job
                        if job.order.key.kind == .verdict {
                            // Scans have a place of their own.
                            state.scans[job.id] = .now
                            return
                        }
                        state.roundRobin.began(job.order.user)
                        if job.order.priority > .scan { state.lastBackground = throttle.now() }
                    }
                    group.addTask { [self] in await perform(job) }
                } else {
                    let isHeldBack = state.withLock { !throttle.allowsWork(after: $0.lastBackground) }
                    await wake.wait(after: known, atMost: isHeldBack ? BackgroundThrottle.pause : Self.idlePause)
                }
            }
            group.cancelAll()
        }
    }

    /// Scans have a place of their own: neither a long list nor a busy machine delays them, and a scanner that hangs
    /// delays nothing else.
    private func nextJob() async throws -> PreviewJob? {
        let isPaused = state.withLock { state in state.pausedUntil.map { .now < $0 } ?? false }
        guard !isPaused else { return nil }
        let (attempts, quickCount) = state.withLock { state in
            (
                state.scans.keys.compactMap { state.running[$0]?.attempt },
                state.scans.values.count { .now - $0 < Self.quickScanTime }
            )
        }
        if work.scan != nil, attempts.count < Self.maxScans, quickCount < Self.maxQuickScans {
            var scans = PreviewJobFilter(leastUrgent: .rescan)
            scans.isForScans = true
            // One at a time of those that failed before: they never take all places from the others.
            scans.includesSecondAttempts = !attempts.contains { $0 > 1 }
            // Where many files came that take long, what comes after them has a place all the same.
            scans.isLatestFirst = attempts.count >= Self.maxQuickScans
            if let job = try await register.take(scans, at: .now) { return job }
        }
        guard let (filter, busy) = await filter() else { return nil }
        return try await register.take(filter, at: .now) { [self] users in
            state.withLock { $0.roundRobin.order(users.filter { user in !(busy?.contains(user) ?? false) }) }
        }
    }

    /// Filter for the work that may begin now beside scans, and users for whom none may; nil for nothing.
    ///
    /// The last place is for users for whom nothing is being made: what takes long keeps only its own user waiting. It
    /// is there also beside a second attempt, which else runs alone.
    private func filter() async -> (PreviewJobFilter, busy: Set<User.ID?>?)? {
        let pressure = await pressure()
        return state.withLock { state in
            let running = state.running.values.filter { $0.order.key.kind != .verdict }
            let isBesideSecond = running.contains { $0.attempt > 1 }
            let places = isBesideSecond ? 2 : settings.maxJobs + 2
            guard running.count < places else { return nil }
            let isLastPlace = running.count == places - 1
            if running.isEmpty { state.isDraining = false }
            let isOverdue = throttle.isOverdue(after: state.lastBackground)
            let isRoomForAll =
                running.count < settings.maxJobs && pressure != .short && (pressure == .none || isOverdue)
                && throttle.allowsWork(after: state.lastBackground)
            var filter = PreviewJobFilter(
                leastUrgent: isLastPlace || state.isDraining ? .asked : isRoomForAll ? .recognition : .listed)
            // It runs one page at a time: it would hold up all others.
            filter.excludesRecognition = running.contains { $0.order.key.kind == .recognised }
            filter.excluded = state.breaker.off(at: .now)
            if state.families.values.contains(.office) { filter.excluded.insert(.office) }
            filter.includesSecondAttempts = running.isEmpty
            return (filter, isLastPlace ? Set(running.map(\.order.user) + [nil]) : nil)
        }
    }

    /// The machine has other work, or no room: work of background priorities is put off.
    private func pressure() async -> MachinePressure {
        let percent = processorMeter.withLock { $0.percent(Pressure.waited(for: .processor)) }
        let lasting = await lastingPressure()
        return lasting == .none && percent > settings.maxProcessorPressure ? .busy : lasting
    }

    /// Pressure by the kernel's averages and the disk; asked every two seconds.
    private func lastingPressure() async -> MachinePressure {
        if let known = state.withLock({ $0.pressure }), .now - known.at < .seconds(2) { return known.pressure }
        let free = try? await freeBytes()
        let isShort =
            Pressure.percent(.memory) > Self.maxMemoryPressure || free.map { $0 < settings.minFreeBytes } ?? false
        let isBusy = Pressure.percent(.processor) > settings.maxProcessorPressure
        let pressure: MachinePressure = isShort ? .short : isBusy ? .busy : .none
        state.withLock { $0.pressure = (pressure, .now) }
        return pressure
    }

    private enum MachinePressure {
        case none
        /// Lack of processors: background work waits, but not without end.
        case busy
        /// Lack of memory or disk.
        case short
    }

    /// Percent.
    private static let maxMemoryPressure = 10.0

    private func perform(_ job: PreviewJob) async {
        let start = ContinuousClock.now
        do {
            let result = try await work.run(job) { [self] family in admit(family, job) }
            try await register.finish(
                job, with: result,
                then: PreviewPlan.next(after: job, result, settings.recognition).map {
                    $0.with(user: job.order.user)
                }, at: .now)
            if job.order.key.kind == .thumbnail, !result.isTriedAgain { news.note(job.order.key.content) }
            state.withLock { state in
                if let (verdict, _) = result.verdict { state.statistics.note(verdict) }
                state.deaths[job.order.key] = nil
                state.lacksOfRoom[job.order.key] = nil
                state.isDraining = state.isDraining || result.isTriedAgain
                state.statistics.note(job.order.key.kind, result.failure, took: .now - start)
                if result.failure == .crashed, let family = result.info?.type.family {
                    state.breaker.noteCrash(of: family, at: .now)
                }
            }
        } catch PreviewWork.Postponed.family(let family) {
            await keepTrying("put work off") { try await register.postpone(job, family: family, until: .now) }
        } catch PreviewWork.Postponed.scanner(let problem) {
            noteScanner(problem)
            await keepTrying("put work off") {
                try await register.postpone(job, family: nil, until: .now + Self.scannerPause)
            }
        } catch PreviewWork.Postponed.failedScan(let problem) {
            noteScanner(problem)
        } catch PreviewWork.Postponed.awaitingScan {
            await keepTrying("put work off") {
                try await register.postponeUntilScanned(job, at: .now, atMost: Self.verdictPause)
            }
        } catch PreviewWork.Postponed.room {
            await postponeForRoom(job)
        } catch is CancellationError {
            await keepTrying("put work off") { try await register.postpone(job, family: nil, until: .now) }
        } catch {
            await note(error, of: job)
        }
        state.withLock { state in
            if job.order.key.kind != .verdict {
                state.roundRobin.ended(job.order.user, after: ContinuousClock.now - start)
            }
            state.running[job.id] = nil
            state.scans[job.id] = nil
            state.families[job.id] = nil
        }
        wake.raise()
        finished.raise()
    }

    private func postpone(_ job: PreviewJob, for time: Duration) async {
        await keepTrying("put work off") { try await register.postpone(job, family: nil, until: .now + time) }
    }

    /// The others go on: they may be smaller.
    private func postponeForRoom(_ job: PreviewJob) async {
        let count = state.withLock { state in
            if state.lacksOfRoom.count >= Self.maxLacksOfRoom { state.lacksOfRoom = [:] }
            state.lacksOfRoom[job.order.key, default: 0] += 1
            return state.lacksOfRoom[job.order.key, default: 0]
        }
        if count == 1 { logger.warning("the disk has no room for a copy of content \(job.order.key.content)") }
        await postpone(job, for: min(Self.roomPauses.first * (1 << min(count - 1, 10)), Self.roomPauses.longest))
    }

    /// Limit of entries that are remembered.
    private static let maxLacksOfRoom = 10_000

    /// Logged once, until the scanner answers again.
    private func noteScanner(_ problem: String) {
        let isNew = state.withLock { state in
            defer { state.statistics.scannerProblem = problem }
            return state.statistics.scannerProblem == nil
        }
        if isNew { logger.error("files are not scanned for malware: \(problem)") }
    }

    /// One office document at a time: each takes as much as all others together.
    private func admit(_ family: TrueType.Family, _ job: PreviewJob) -> Bool {
        state.withLock { state in
            guard !state.breaker.off(at: .now).contains(family) else { return false }
            if family == .office, state.families.values.contains(.office) { return false }
            state.families[job.id] = family
            return true
        }
    }

    /// The content cannot be read, or the system did not do its part.
    private func note(_ error: any Error, of job: PreviewJob) async {
        if let error = error as? DiskError, error.isOutOfSpace { return await postponeForRoom(job) }
        if error is PreviewWork.MissingContent {
            return await keepTrying("end work") {
                try await register.finish(
                    job, with: PreviewResult(recipe: work.recipe(of: job.order.key.kind)), then: [], at: .now)
            }
        }
        let code = (error as? StoreError)?.code
        let isDeath = (error as? ProcessError)?.code == EPIPE
        let deaths = state.withLock { state in
            if isDeath { state.deaths[job.order.key, default: 0] += 1 }
            if !isDeath, code != .notFound, code != .corrupted { state.pausedUntil = .now + Self.failurePause }
            return state.deaths[job.order.key, default: 0]
        }
        guard code == .notFound || code == .corrupted || deaths >= Self.maxDeaths else {
            logger.warning("a preview could not be made now: \(error)")
            return await keepTrying("put work off") {
                try await register.postpone(job, family: nil, until: .now + Self.failurePause)
            }
        }
        // Bytes that are gone were most often deleted meanwhile; what the disk has lost, downloads and `verify` report.
        logger.log(level: isDeath ? .error : .info, "no preview of content \(job.order.key.content): \(error)")
        var result = PreviewResult(recipe: work.recipe(of: job.order.key.kind))
        result.failure = isDeath ? .crashed : .damaged
        await keepTrying("note a failure") { try await register.finish(job, with: result, then: [], at: .now) }
        state.withLock { $0.deaths[job.order.key] = nil }
    }

    /// Otherwise the work would stay taken until the process ends.
    private func keepTrying(_ what: String, _ body: () async throws -> Void) async {
        while true {
            do { return try await body() } catch {
                logger.error("cannot \(what): \(error)")
                // Also when the task is cancelled: then another process finds the work taken, and resumes it.
                guard !Task.isCancelled else { return }
                try? await Task.sleep(for: Self.failurePause)
            }
        }
    }
}
