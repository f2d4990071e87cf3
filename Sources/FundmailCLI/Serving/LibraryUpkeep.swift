import FundStore
import Logging
import ServiceLifecycle

/// What the library needs beside requests: new things are made findable at once, and what was deleted long ago goes.
struct LibraryUpkeep: Service {
    /// Between two looks at what changed: no more than a small query.
    private static let pause = Duration.seconds(1)
    /// After a failure, which is most often a full disk.
    private static let longPause = Duration.seconds(60)

    let store: FundStore
    /// As it is when its time comes.
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
