internal import MailConnection
import FundCore
import FundStore
import Logging
import ServiceLifecycle
import Terminal

/// Background work of the library: indexes changes for the search, removes what was deleted long ago, and compacts the
/// log.
struct LibraryUpkeep: Service {
    /// After a look for changes, so that those of a second are indexed together.
    private static let pause = Duration.seconds(1)
    /// While nothing is committed: for the room on the disk.
    private static let idlePause = Duration.seconds(30)
    /// After a failure, which is most often a full disk.
    private static let longPause = Duration.seconds(60)
    /// How often the log is compacted.
    private static let sweepPeriod = Duration.seconds(3600)

    let store: FundStore
    /// The retention as configured when it is applied.
    let retention: @Sendable () -> Retention
    let logger: Logger

    func run() async throws {
        let commits = store.library.commits
        // Ends between two short transactions when the server is told to end.
        await cancelWhenGracefulShutdown {
            var (purgedAt, sweptAt): (ContinuousClock.Instant?, ContinuousClock.Instant?)
            while !Task.isCancelled {
                var pause = Self.pause
                // Read before the store: what is committed meanwhile ends the wait below at once.
                let known = commits.count
                do {
                    try await store.maintenance.refillReserve()
                    while try await store.maintenance.index.indexPending() > 0, !Task.isCancelled {}
                    if purgedAt.map({ ContinuousClock.now - $0 >= Retention.period }) ?? true {
                        try await retention().apply(to: store)
                        purgedAt = ContinuousClock.now
                    }
                    if sweptAt.map({ ContinuousClock.now - $0 >= Self.sweepPeriod }) ?? true {
                        let count = try await store.maintenance.sweep()
                        if count > 0 { logger.notice("removed \(count) files of uploads that were broken off") }
                        sweptAt = ContinuousClock.now
                    }
                } catch {
                    logger.error("cannot look after the library: \(error)")
                    pause = Self.longPause
                }
                try? await Task.sleep(for: pause)
                await commits.wait(after: known, atMost: Self.idlePause)
            }
        }
    }
}

extension Retention {
    /// How often what is old is looked for, where something runs for longer.
    static let period = Duration.seconds(24 * 60 * 60)

    /// Once a period until cancelled, each time by what `current` gives; then the log is compacted. Failures are
    /// logged.
    static func keepApplying(
        _ current: @Sendable () -> Retention, to store: FundStore, until cancellation: Cancellation
    ) async {
        repeat {
            do {
                try await current().apply(to: store)
                _ = try await store.maintenance.sweep()
            } catch {
                Logger(label: "fundmail.retention").error("what is old could not be removed: \(CommandError(error))")
            }
        } while await cancellation.pause(for: period)
    }

    /// The longest step of the clock between two runs that is no jump: half of the shorter time, at least
    /// 26 hours, so that a daily run may be late, and at most 8 days. Nil when everything is kept.
    var longestGap: Duration? {
        [rawDays, deletedDays].compactMap(\.self).min().map { days in
            min(.seconds(8 * 86_400), max(.seconds(26 * 3600), .seconds(days * 86_400 / 2)))
        }
    }

    /// Removes what is older than the times say. Nothing is removed until the machine's clock has gone forward for 20
    /// hours in steps of at most `longestGap`.
    func apply(to store: FundStore) async throws {
        guard let longestGap, try await store.maintenance.isClockSteady(longestGap: longestGap) else { return }
        if let rawDays { _ = try await store.maintenance.applyRetention(rawDays: rawDays) }
        if let deletedDays {
            _ = try await store.maintenance.purgeDeleted(before: .now - .seconds(deletedDays * 86_400))
        }
    }
}
