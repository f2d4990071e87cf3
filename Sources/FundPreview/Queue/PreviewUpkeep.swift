package import FundCore
internal import Logging

/// Finds the files that need previews, keeps the cache within its budget, and removes what belongs to no content.
package struct PreviewUpkeep: Sendable {
    /// How often it looks for what is to be done.
    package struct Pace: Sendable {
        /// The least time between two looks.
        package var pause = Duration.milliseconds(500)
        /// Time after which it looks again without a sign that there is something to do.
        package var idlePause = Duration.seconds(30)
        /// How often the scanner is asked for its signatures while nothing is to be scanned again. Newer ones are
        /// noticed within this time.
        package var signaturePeriod = Duration.seconds(10)

        package init() {}
    }

    private static let failurePause = Duration.seconds(60)
    private static let stepFiles = 200
    /// Older files are given work while less than this waits.
    private static let backfillBelow = 100
    private static let sweepPeriod = Duration.seconds(3600)
    private static let budgetPeriod = Duration.seconds(60)
    /// Share of the budget that an eviction leaves, in percent, so that it does not come at once again.
    private static let keptPercent: Int64 = 90

    let workers: PreviewWorkers
    let settings: PreviewSettings
    let commits: Signal
    /// Raised when all that is there was looked at, and nothing more is to be ordered.
    package let looked = Signal()
    /// Nil where nothing is scanned.
    let scanner: (any ContentScanner)?
    private let pace: Pace
    private let logger = Logger(label: "fundmail.previews")

    /// - Parameters:
    ///   - commits: raised when files may have come.
    ///   - pace: how often it looks; another only in tests.
    package init(
        _ workers: PreviewWorkers, settings: PreviewSettings, commits: Signal, scanner: (any ContentScanner)? = nil,
        pace: Pace = Pace()
    ) {
        self.scanner = scanner
        self.pace = pace
        self.workers = workers
        self.settings = settings
        self.commits = commits
    }

    /// Runs until the task is cancelled.
    package func run() async {
        let register = workers.register
        var (sweptAt, weighedAt): (ContinuousClock.Instant?, ContinuousClock.Instant?)
        var recognised = RecognitionBackfill(register: register, settings: settings.recognition)
        var signaturesAt: ContinuousClock.Instant?
        while !Task.isCancelled {
            let known = commits.count
            var isMore = false
            do {
                while try await register.enqueueFiles(.new, limit: Self.stepFiles, at: .now) > 0 {
                    // Where one file comes, more may: they go first.
                    workers.noteUse()
                    workers.wake.raise()
                }
                let isBackfillDue = try await register.countWaiting([.fresh, .backfill]) < Self.backfillBelow
                if isBackfillDue {
                    isMore = try await register.enqueueFiles(.old, limit: Self.stepFiles, at: .now) > 0
                }
                if isBackfillDue { isMore = try await recognised.orderMore() || isMore }
                if let scanner {
                    isMore = try await orderScans(scanner, &signaturesAt) || isMore
                }
                if isMore { workers.wake.raise() }
                if weighedAt.map({ .now - $0 >= Self.budgetPeriod }) ?? true {
                    try await keepBudget()
                    weighedAt = .now
                }
                if sweptAt.map({ .now - $0 >= Self.sweepPeriod }) ?? true {
                    _ = try await register.sweep()
                    if scanner != nil { try await register.lookAtAllContentsAgain() }
                    sweptAt = .now
                }
                if !isMore { looked.raise() }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("cannot look for files that need previews: \(error)")
                try? await Task.sleep(for: Self.failurePause)
            }
            try? await Task.sleep(for: pace.pause)
            await commits.wait(after: known, atMost: isMore ? pace.pause : pace.idlePause)
        }
    }

    /// Scans of what came, then of what was there before, then again of what older signatures have seen: however many
    /// pictures wait. True when more may be to do.
    private func orderScans(
        _ scanner: any ContentScanner, _ signaturesAt: inout ContinuousClock.Instant?
    ) async throws -> Bool {
        let register = workers.register
        while try await register.enqueueScans(.new, limit: Self.stepFiles, at: .now) > 0 { workers.wake.raise() }
        while try await register.enqueueScansOfKeptMail(limit: Self.stepFiles, at: .now) > 0 { workers.wake.raise() }
        if try await register.enqueueScans(.old, limit: Self.stepFiles, at: .now) > 0 { return true }
        guard try await register.countWaiting([.rescan]) < Self.backfillBelow else { return false }
        guard signaturesAt.map({ .now - $0 >= pace.signaturePeriod }) ?? true else { return false }
        // Asked anew for each step: after older ones came, what is scanned by them would be scanned again and again.
        guard let version = await scanner.signatures()?.version else { return false }
        let count = try await register.enqueueRescans(signatures: version, limit: Self.stepFiles, at: .now)
        signaturesAt = count > 0 ? nil : .now
        return count > 0
    }

    /// Also writes down what was used lately.
    private func keepBudget() async throws {
        let most = settings.maxCacheBytes
        let count = try await workers.register.evict(above: most, downTo: most / 100 * Self.keptPercent)
        guard count > 0 else { return }
        workers.note { $0.evictions += count }
        logger.info("removed \(count) previews to make room")
    }
}
