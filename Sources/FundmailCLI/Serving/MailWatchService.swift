internal import MailConnection
import MailFetch
import MailWatch
import ServiceLifecycle
import Synchronization

/// The watchers as a service beside the web server.
final class MailWatchService: Service {
    private let watch: MailboxWatch
    private let running = Atomic<Bool>(false)

    init(_ watch: MailboxWatch) { self.watch = watch }

    var isRunning: Bool { running.load(ordering: .relaxed) }

    /// Runs until graceful shutdown; the batch under way is then finished and acknowledged.
    func run() async throws {
        running.store(true, ordering: .relaxed)
        defer { running.store(false, ordering: .relaxed) }
        try await withGracefulShutdownHandler {
            try await watch.run()
            // The signal ends it before its turn; a service that ends by itself would count as broken down.
            if watch.cancellation.isCancelled { try? await gracefulShutdown() }
        } onGracefulShutdown: { [cancellation = watch.cancellation] in
            cancellation.cancel()
        }
    }
}
