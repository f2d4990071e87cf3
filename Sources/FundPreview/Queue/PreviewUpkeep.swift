package import FundCore
internal import Logging

/// Finds the files that need previews, keeps the cache within its budget, and removes what belongs to no content.
package struct PreviewUpkeep: Sendable {
    /// Between two looks for new files.
    private static let pause = Duration.milliseconds(500)
    private static let idlePause = Duration.seconds(30)
    private static let failurePause = Duration.seconds(60)
    private static let stepFiles = 200
    /// Older files are given work while less than this waits.
    private static let backfillBelow = 100
    private static let sweepPeriod = Duration.seconds(3600)
    private static let budgetPeriod = Duration.seconds(60)
    /// What is left of the budget after an eviction, in percent, so that it does not come at once again.
    private static let keptPercent: Int64 = 90

    let workers: PreviewWorkers
    let settings: PreviewSettings
    let commits: Signal
    /// Nil where nothing is scanned.
    let scanner: (any ContentScanner)?
    private let logger = Logger(label: "fundmail.previews")

    /// - Parameter commits: raised when files may have come.
    package init(
        _ workers: PreviewWorkers, settings: PreviewSettings, commits: Signal, scanner: (any ContentScanner)? = nil
    ) {
        self.scanner = scanner
        self.workers = workers
        self.settings = settings
        self.commits = commits
    }

    /// Runs until the task is cancelled.
    package func run() async {
        let register = workers.register
        var (sweptAt, weighedAt): (ContinuousClock.Instant?, ContinuousClock.Instant?)
        var signatures: (version: Int64, at: ContinuousClock.Instant)?
        while !Task.isCancelled {
            let known = commits.count
            var isMore = false
            do {
                while try await register.enqueueFiles(.fresh, limit: Self.stepFiles, at: .now) > 0 {
                    workers.wake.raise()
                }
                let status = try await register.status()
                let isBackfillDue = status.waiting.values.reduce(0, +) < Self.backfillBelow
                if isBackfillDue {
                    isMore = try await register.enqueueFiles(.backfill, limit: Self.stepFiles, at: .now) > 0
                }
                if let scanner {
                    isMore = try await orderScans(scanner, isBackfillDue: isBackfillDue, &signatures) || isMore
                }
                if isMore { workers.wake.raise() }
                if weighedAt.map({ .now - $0 >= Self.budgetPeriod }) ?? true {
                    try await keepBudget(status)
                    try await register.forgetReleased()
                    weighedAt = .now
                }
                if sweptAt.map({ .now - $0 >= Self.sweepPeriod }) ?? true {
                    _ = try await register.sweep()
                    sweptAt = .now
                }
            } catch {
                guard !Task.isCancelled else { return }
                logger.error("cannot look for files that need previews: \(error)")
                try? await Task.sleep(for: Self.failurePause)
            }
            try? await Task.sleep(for: Self.pause)
            await commits.wait(after: known, atMost: isMore ? Self.pause : Self.idlePause)
        }
    }

    /// Scans of what came, then of what was there before, then again of what older signatures have seen. True when more
    /// may be to do.
    private func orderScans(
        _ scanner: any ContentScanner, isBackfillDue: Bool,
        _ signatures: inout (version: Int64, at: ContinuousClock.Instant)?
    ) async throws -> Bool {
        if signatures.map({ .now - $0.at >= Self.signaturePeriod }) ?? true {
            signatures = await scanner.signatures().map { ($0.version, .now) } ?? signatures
        }
        let version = signatures?.version ?? 0
        func order(_ priority: PreviewOrder.Priority) async throws -> Int {
            try await workers.register.enqueueScans(
                priority, signatures: version, limit: Self.stepFiles, at: .now)
        }
        while try await order(.fresh) > 0 { workers.wake.raise() }
        guard isBackfillDue else { return false }
        if try await order(.backfill) > 0 { return true }
        return try await order(.rescan) > 0
    }

    /// How often the scanner is asked for its signatures.
    private static let signaturePeriod = Duration.seconds(600)

    private func keepBudget(_ status: PreviewStatus) async throws {
        guard status.bytes > settings.maxCacheBytes else { return }
        let count = try await workers.register.evict(downTo: settings.maxCacheBytes / 100 * Self.keptPercent)
        workers.note { $0.evictions += count }
        logger.info("removed \(count) previews: they took \(status.bytes) bytes")
    }
}
