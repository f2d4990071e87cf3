import FundCore
import FundStore
import Logging
import MailConnection
import ServiceLifecycle
import Terminal

/// Brings sealed segments into the bucket of a store, every few minutes.
struct BucketUpkeep: Service {
    private static let period = Duration.seconds(300)

    let store: FundStore
    let logger: Logger
    /// Ends the run under way between two segments.
    let cancellation: Cancellation

    /// Runs until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { await keep() }
        try? await gracefulShutdown()
    }

    /// Runs until cancelled. Failures are logged, each once for as long as it stays the same.
    func keep() async {
        guard let bucket = store.bucket else { return }
        var said: String?
        while !Task.isCancelled, !cancellation.isCancelled {
            var problem: String?
            do {
                let report = try await bucket.keep(shouldStop: { [cancellation] in cancellation.isCancelled })
                if let report, report != BucketReport() { logger.info("bucket: \(BucketWords.outcome(report))") }
                problem = report?.problems.first
            } catch { problem = CommandError(error).message }
            if let problem, problem != said {
                logger.error("segments cannot be brought to the bucket, and stay on this disk: \(problem)")
            }
            if problem == nil, said != nil { logger.notice("segments can be brought to the bucket again") }
            said = problem
            guard await cancellation.pause(for: Self.period) else { return }
        }
    }
}
