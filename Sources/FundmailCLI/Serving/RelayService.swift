import FundCore
import MailSend
import ServiceLifecycle

/// The relay of letters beside what else runs.
struct RelayService: Service {
    /// Wait for the reply to the letter under way when the program ends. Without it the letter is uncertain for the
    /// next relay. Shorter than what a graceful shutdown may take.
    static let lastWait = Duration.seconds(20)

    let relay: OutboxRelay

    /// Runs until graceful shutdown, and hands over the letter under way.
    func run() async throws {
        await withGracefulShutdownHandler {
            await relay.run(lastWait: Self.lastWait)
            // A service that ends by itself would count as broken down.
            try? await gracefulShutdown()
        } onGracefulShutdown: { [relay] in
            relay.end()
        }
    }
}
