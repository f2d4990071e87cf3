import FundCore
import ServiceLifecycle

/// Ends a demo when its time is over, so that it begins anew.
struct DemoClock: Service {
    let endsAt: Timestamp
    let signals: StopSignal
    /// Raised once the demo listens: until then its address is not known, at which it begins anew.
    let announced: Signal

    /// Runs until then, or until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            do {
                _ = try await announced.count(after: 0)
                try await Task.sleep(for: max(endsAt - .now, .zero))
                signals.stop()
            } catch {
                // The demo was told to end before.
            }
        }
        // A service that ends by itself would count as broken down.
        if signals.isReceived { try? await gracefulShutdown() }
    }
}
