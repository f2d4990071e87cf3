import FundCore
import FundServer
import FundStore
import MailConnection
import MailSend
import ServiceLifecycle
import Synchronization

/// The deliveries to people's webhooks beside what else runs.
final class WebhookService: Service {
    let sender: WebhookSender
    private let runner: WebhookRunner
    private let store: FundStore
    private let counts: Counts

    /// Attempts by their result.
    private final class Counts: Sendable {
        private let values = Mutex<[String: Int]>([:])

        func note(_ event: WebhookRunEvent) {
            guard case .attempted(_, let attempt, _) = event else { return }
            values.withLock { $0[attempt.problem?.rawValue ?? Counts.delivered, default: 0] += 1 }
        }

        func samples() -> [MetricFamily.Sample] {
            let values = values.withLock { $0 }
            let results = [Counts.delivered] + WebhookProblem.allCases.map(\.rawValue)
            return results.map { .init(Double(values[$0] ?? 0), [("result", $0)]) }
        }

        private static let delivered = "delivered"
    }

    /// - Parameters:
    ///   - lettersAreOn: whether people can be told by letters that their webhooks are stopped.
    ///   - cancellation: ends the attempts under way, which are made again by the next process.
    init(
        _ rules: WebhookRules, _ store: FundStore, lettersAreOn: @escaping @Sendable () -> Bool,
        cancellation: Cancellation
    ) {
        let (sender, counts) = (WebhookSender(rules, cancellation: cancellation), Counts())
        (self.sender, self.store, self.counts) = (sender, store, counts)
        runner = WebhookRunner(
            store.webhooks, commits: store.library.commits, lettersAreOn: lettersAreOn,
            observe: { event in
                WebhookLog().write(event)
                counts.note(event)
            }, send: { try await sender.deliver($0) })
    }

    /// Runs until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown { [runner] in await runner.run() }
        // A service that ends by itself would count as broken down.
        try? await gracefulShutdown()
    }

    /// Figures for `/metrics`.
    func families() async -> [MetricFamily] {
        let attempts = MetricFamily(
            "fundmail_webhook_attempts_total", .counter, "Attempts to deliver to webhooks, by their result.",
            counts.samples())
        // A store that cannot be read has no figures, which is not the same as no webhooks.
        guard let figures = try? await store.webhooks.webhookFigures() else { return [attempts] }
        let states = [("on", figures.on), ("off", figures.off), ("stopped", figures.stopped)]
        return [
            attempts,
            MetricFamily(
                "fundmail_webhooks", .gauge, "Webhooks of people, by their state.",
                states.map { .init(Double($0.1), [("state", $0.0)]) }),
            MetricFamily(
                "fundmail_failing_webhooks", .gauge, "Webhooks that are on and whose last attempt failed.",
                Double(figures.failing)),
        ]
    }
}
