internal import Dispatch
package import FundCore
package import MailConnection

/// Sends deliveries to webhooks: one request each, on a connection of its own, by no proxy, to an address that was
/// checked when it was dialled, and nowhere else, whatever the receiver answers.
package final class WebhookSender: WebhookSending {
    /// Deliveries of the schedule at a time. One waits for its receiver nearly all the time.
    static let concurrency = 16
    /// Deliveries that people wait for at a time.
    private static let peopleConcurrency = 4
    private static let connectLimit = Duration.seconds(10)
    /// Bytes of an answer that are waited for. Its status decides, and its body is not looked at.
    private static let maxAnswerBytes = 64 << 10

    private let rules: WebhookRules
    private let cancellation: Cancellation
    private let now: @Sendable () -> Timestamp
    private let attemptTime: Duration
    private let queues: ResourcePool<DispatchQueue>
    private let peopleQueues: ResourcePool<DispatchQueue>

    /// - Parameters:
    ///   - cancellation: ends the attempts under way.
    ///   - attemptTime: the time for an attempt.
    package init(
        _ rules: WebhookRules, cancellation: Cancellation, attemptTime: Duration = WebhookLimits.attemptTime,
        now: @escaping @Sendable () -> Timestamp = { .now }
    ) {
        (self.rules, self.cancellation, self.attemptTime, self.now) = (rules, cancellation, attemptTime, now)
        func pool(_ name: String, _ count: Int) -> ResourcePool<DispatchQueue> {
            ResourcePool((1...count).map { DispatchQueue(label: "fundmail.webhooks.\(name).\($0)") })
        }
        queues = pool("schedule", Self.concurrency)
        peopleQueues = pool("people", Self.peopleConcurrency)
    }

    package func problem(with address: WebhookAddress) -> WebhookProblem? { rules.problem(with: address) }

    package func send(_ delivery: OutgoingDelivery) async throws -> WebhookAttempt {
        try await send(delivery, by: peopleQueues)
    }

    /// Sends a delivery of the schedule. Throws `CancellationError` when the program ends meanwhile.
    package func deliver(_ delivery: OutgoingDelivery) async throws -> WebhookAttempt {
        try await send(delivery, by: queues)
    }

    private func send(
        _ delivery: OutgoingDelivery, by pool: ResourcePool<DispatchQueue>
    ) async throws -> WebhookAttempt {
        guard !delivery.secrets.isEmpty else { return WebhookAttempt(problem: .secret) }
        if let problem = rules.problem(with: delivery.webhook.address) { return WebhookAttempt(problem: problem) }
        let queue = try await pool.acquire(within: attemptTime)
        defer { pool.release(queue) }
        return try await queue.run { [self] in try attempt(delivery) }
    }

    private func attempt(_ delivery: OutgoingDelivery) throws -> WebhookAttempt {
        let (begin, time) = (ContinuousClock.now, now())
        let mayBePrivate = rules.mayBePrivate(delivery.webhook.address)
        let judge = AddressGuard { mayBePrivate || PublicAddress.isPublic($0.bytes) }
        do throws(ConnectionError) {
            var limits = WebLimits(maxBodyBytes: Self.maxAnswerBytes)
            (limits.connect, limits.request) = (min(Self.connectLimit, attemptTime), attemptTime)
            let session = try WebSession(
                publicWeb: limits, guardedBy: judge, caFile: nil, moreAuthorities: rules.authorityFile,
                substitutes: [], cancellation: cancellation)
            let answer: WebAnswer
            do throws(ConnectionError) { answer = try session.answer(to: try Self.request(delivery, at: time)) } catch {
                // Its status has come all the same.
                guard let large = session.largeAnswer else { throw error }
                answer = large
            }
            return Self.attempt(answer, at: time, ContinuousClock.now - begin)
        } catch {
            if error.code == .cancelled { throw CancellationError() }
            let duration = ContinuousClock.now - begin
            if judge.takeRefusal() != nil { return WebhookAttempt(problem: .privateAddress, duration: duration) }
            let detail = error.detail.isEmpty ? nil : error.detail.label.prefix(bytes: 300)
            return WebhookAttempt(problem: Self.problem(error), detail: detail, duration: duration)
        }
    }

    /// The request, with the fields of Standard Webhooks.
    static func request(_ delivery: OutgoingDelivery, at time: Timestamp) throws(ConnectionError) -> WebRequest {
        let mark = delivery.delivery.mark
        let signatures = delivery.secrets.map { $0.signature(of: mark, at: time, delivery.body) }
        return WebRequest(
            "POST", try WebAddress(publicURL: delivery.webhook.address.text),
            fields: [
                ("Content-Type", "application/json"), ("webhook-id", mark), ("webhook-timestamp", time.description),
                ("webhook-signature", signatures.joined(separator: " ")),
            ], body: delivery.body)
    }

    private static func attempt(_ answer: WebAnswer, at time: Timestamp, _ duration: Duration) -> WebhookAttempt {
        let problem: WebhookProblem? =
            switch answer.status {
            case 200...299: nil
            case 300...399: .redirect
            case 410: .gone
            default: .status
            }
        return WebhookAttempt(
            status: answer.status, problem: problem, detail: problem.map { _ in "status \(answer.status)" },
            duration: duration, retryAfter: problem == nil ? nil : answer.retryAfter(at: time))
    }

    private static func problem(_ error: ConnectionError) -> WebhookProblem {
        switch error.code {
        case .timedOut: .tooSlow
        case .certificate, .tlsRequired: .certificate
        case .unsupported: .status
        default: .unreachable
        }
    }
}
