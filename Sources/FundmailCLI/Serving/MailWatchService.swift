import MailFetch
import ServiceLifecycle
import Synchronization

/// The watchers as a service beside the web server.
final class MailWatchService: Service {
    private let watch: MailboxWatch
    private let running = Atomic<Bool>(false)

    init(_ watch: MailboxWatch) { self.watch = watch }

    var isRunning: Bool { running.load(ordering: .relaxed) }

    /// Until the server is told to end; then the batch under way is finished and acknowledged.
    func run() async throws {
        running.store(true, ordering: .relaxed)
        defer { running.store(false, ordering: .relaxed) }
        try await withGracefulShutdownHandler {
            try await watch.run()
        } onGracefulShutdown: { [cancellation = watch.parts.cancellation] in
            cancellation.cancel()
        }
    }
}
