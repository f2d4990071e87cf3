import FundStore
import Logging
import ServiceLifecycle

/// Background work of the library: indexes changes for the search, and removes what was deleted long ago.
struct LibraryUpkeep: Service {
    /// Between two looks for changes, which are a small query each.
    private static let pause = Duration.seconds(1)
    /// After a failure, which is most often a full disk.
    private static let longPause = Duration.seconds(60)

    let store: FundStore
    /// The retention as configured when it is applied.
    let retention: @Sendable () -> Retention
    let logger: Logger

    func run() async throws {
        // Ends between two short transactions when the server is told to end.
        await cancelWhenGracefulShutdown {
            var purgedAt: ContinuousClock.Instant?
            while !Task.isCancelled {
                var pause = Self.pause
                do {
                    try await store.maintenance.refillReserve()
                    while try await store.maintenance.index.indexPending() > 0, !Task.isCancelled {}
                    if purgedAt.map({ ContinuousClock.now - $0 >= Retention.period }) ?? true {
                        try await retention().apply(to: store)
                        let count = try await store.maintenance.sweep()
                        if count > 0 { logger.notice("removed \(count) files of uploads that were broken off") }
                        purgedAt = ContinuousClock.now
                    }
                } catch {
                    logger.error("cannot look after the library: \(error)")
                    pause = Self.longPause
                }
                try? await Task.sleep(for: pause)
            }
        }
    }
}
