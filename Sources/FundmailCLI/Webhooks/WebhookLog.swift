import FundCore
import Logging
import MailSend
import Terminal

/// Writes to the log what becomes of deliveries to webhooks.
struct WebhookLog: Sendable {
    private let logger = Logger(label: "fundmail.webhooks")

    func write(_ event: WebhookRunEvent) {
        switch event {
        case .storeFailed(let error):
            logger.warning("nothing is delivered to webhooks now: \(CommandError(error).message)")
        case .attempted(let delivery, let attempt, let webhook):
            let hasStopped = webhook?.state == .stopped
            let level: Logger.Level = hasStopped ? .warning : attempt.problem == nil ? .debug : .info
            logger.log(level: level, "\(Self.words(delivery, attempt, hasStopped: hasStopped))")
        }
    }

    /// The result of an attempt on one line. Of the address it has the host alone: people put secrets into the rest.
    static func words(_ delivery: OutgoingDelivery, _ attempt: WebhookAttempt, hasStopped: Bool) -> String {
        let webhook = delivery.webhook
        let what = TerminalText.clean("webhook \(webhook.id) at \(webhook.address.host): \(delivery.delivery.mark)")
        guard let problem = attempt.problem else { return "\(what) was delivered" }
        let detail = attempt.detail.map { " (\(TerminalText.clean($0)))" } ?? ""
        let end = hasStopped ? "; it is stopped until its owner turns it on" : ""
        return "\(what) was not delivered: \(problem.text)\(detail)\(end)"
    }
}
