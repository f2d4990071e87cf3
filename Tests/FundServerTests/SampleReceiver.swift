import FundCore
import Synchronization

/// Answers each message to a webhook with a status, as a receiver would.
final class SampleReceiver: WebhookSending {
    private let status = Mutex(204)
    private let received = Mutex<[OutgoingDelivery]>([])

    var deliveries: [OutgoingDelivery] { received.withLock { $0 } }

    func answer(with status: Int) { self.status.withLock { $0 = status } }

    func problem(with address: WebhookAddress) -> WebhookProblem? {
        switch address.host {
        case "localhost": .privateAddress
        default: address.port == 443 ? nil : .forbidden
        }
    }

    func send(_ delivery: OutgoingDelivery) async throws -> WebhookAttempt {
        received.withLock { $0.append(delivery) }
        let status = status.withLock { $0 }
        return WebhookAttempt(
            status: status, problem: status < 300 ? nil : .status, detail: status < 300 ? nil : "status \(status)",
            duration: .milliseconds(12))
    }
}
