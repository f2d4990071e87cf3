import MailFetch
import ServiceLifecycle

/// Sends the watchdog notices of systemd until graceful shutdown.
struct WatchdogService: Service {
    let notice: ServiceNotice
    let cancellation: Cancellation

    func run() async throws {
        await withGracefulShutdownHandler {
            await notice.beat(until: cancellation)
            // A service that ends by itself would end the others.
            try? await gracefulShutdown()
        } onGracefulShutdown: { [cancellation] in
            // Also when another service ends: systemd must not take a process for alive that no longer serves.
            cancellation.cancel()
        }
    }
}
