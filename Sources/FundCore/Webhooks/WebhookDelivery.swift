/// One message to a webhook, with its attempts: it keeps its id and its body, however often it is sent.
package struct WebhookDelivery: Sendable, Hashable {
    package typealias ID = FundCore.ID<WebhookDelivery>

    /// Raw values stand in the database and in JSON.
    package enum State: String, Sendable, CaseIterable {
        /// It has not arrived, and those behind it wait for it.
        case pending
        case delivered
        /// A test that failed, or that the end of the program cut off: none waits for it.
        case failed
    }

    package var id: ID
    package var webhook: Webhook.ID
    /// The id that receivers see (`webhook-id`), the same at each attempt.
    package var mark: String
    package var event: WebhookEvent
    /// Changes in the body.
    package var changes: Int
    package var state: State
    package var attempts: Int
    package var addedAt: Timestamp
    package var attemptedAt: Timestamp?
    /// The status of the last answer; nil where none came.
    package var status: Int?
    package var problem: WebhookProblem?
    /// Milliseconds that the last attempt took.
    package var milliseconds: Int?

    package init(
        id: ID, webhook: Webhook.ID, mark: String, event: WebhookEvent, changes: Int, state: State, attempts: Int,
        addedAt: Timestamp, attemptedAt: Timestamp?, status: Int?, problem: WebhookProblem?, milliseconds: Int?
    ) {
        self.id = id
        self.webhook = webhook
        self.mark = mark
        self.event = event
        self.changes = changes
        self.state = state
        self.attempts = attempts
        self.addedAt = addedAt
        self.attemptedAt = attemptedAt
        self.status = status
        self.problem = problem
        self.milliseconds = milliseconds
    }
}

/// A delivery as it is sent: with its body, and the secrets that sign it.
package struct OutgoingDelivery: Sendable {
    package var delivery: WebhookDelivery
    package var webhook: Webhook
    package var body: String
    /// The present one first; empty where they cannot be unsealed.
    package var secrets: [WebhookSecret]

    package init(delivery: WebhookDelivery, webhook: Webhook, body: String, secrets: [WebhookSecret]) {
        (self.delivery, self.webhook, self.body, self.secrets) = (delivery, webhook, body, secrets)
    }
}

/// The result of one attempt to deliver.
package struct WebhookAttempt: Sendable, Hashable {
    /// Nil where no answer came.
    package var status: Int?
    /// Nil for a success: a status of 2xx in time.
    package var problem: WebhookProblem?
    /// More about the problem in English. Nothing of the receiver's body.
    package var detail: String?
    package var duration: Duration
    /// The time for which the receiver asks to be left alone.
    package var retryAfter: Duration?

    package init(
        status: Int? = nil, problem: WebhookProblem? = nil, detail: String? = nil, duration: Duration = .zero,
        retryAfter: Duration? = nil
    ) {
        self.status = status
        self.problem = problem
        self.detail = detail
        self.duration = duration
        self.retryAfter = retryAfter
    }
}
