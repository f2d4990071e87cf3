import MailFetch
import ServiceLifecycle

/// Tells systemd that the process lives.
struct ServiceHeart: Service {
    let notice: ServiceNotice
    let cancellation: Cancellation

    func run() async throws {
        guard let period = notice.watchdogPeriod else {
            try? await gracefulShutdown()
            return
        }
        repeat { notice.alive() } while await cancellation.pause(for: period)
        try? await gracefulShutdown()
    }
}
