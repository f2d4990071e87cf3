/// The part of the store that keeps people's webhooks. Each call of a user sees what is theirs; what belongs to another
/// answers `notFound`. Errors are `StoreError`.
package protocol WebhookStore: Sendable {
    /// By name.
    func webhooks(of user: User.ID) async throws -> [Webhook]
    /// One webhook.
    func webhook(_ id: Webhook.ID, of user: User.ID) async throws -> Webhook
    /// Adds a webhook that is on, and is told of what changes from now on. Its secret is given this once. Throws
    /// `alreadyExists` for a name that is taken, and `invalid` with a problem for one that no folder could have, for no
    /// kinds, and beyond `WebhookLimits.maxWebhooks`.
    func addWebhook(_ webhook: NewWebhook, of user: User.ID) async throws -> (Webhook, WebhookSecret)
    /// Throws as `addWebhook`. Turning it on ends a pause after failures.
    func changeWebhook(_ id: Webhook.ID, _ change: WebhookChange, of user: User.ID) async throws -> Webhook
    /// Gives it another secret; the one before signs, too, for `WebhookLimits.formerSecretTime`.
    func renewSecret(of id: Webhook.ID, of user: User.ID) async throws -> WebhookSecret
    /// Forgets a webhook, its secrets and its deliveries.
    func removeWebhook(_ id: Webhook.ID, of user: User.ID) async throws
    /// The latest first.
    func webhookDeliveries(
        of id: Webhook.ID, of user: User.ID, _ page: PageQuery
    ) async throws -> ListPage<WebhookDelivery>
    /// Prepares a message that tries the receiver, whatever the state of the webhook, to be sent at once.
    func prepareTest(of id: Webhook.ID, of user: User.ID) async throws -> OutgoingDelivery
    /// Prepares a delivery that was sent, to be sent once more with the same id and body. One that is pending is due at
    /// once instead, and nil is returned; throws `conflict` for that while the webhook is not on.
    func prepareAgain(
        _ delivery: WebhookDelivery.ID, of id: Webhook.ID, of user: User.ID
    ) async throws -> OutgoingDelivery?
    /// Notes the result of an attempt with what `prepareTest` or `prepareAgain` gave, and gives the delivery as it is
    /// then.
    func noteSent(_ attempt: WebhookAttempt, of delivery: WebhookDelivery.ID) async throws -> WebhookDelivery
}

/// The part of the store for the process that delivers to webhooks: one at a time has the lease.
package protocol WebhookRegister: Sendable {
    /// Makes this process the one that delivers, until the lease or its process ends; nil while another process is.
    func webhookLease() async throws -> (any MailboxLease)?
    /// The next delivery that is due, of a webhook that is on and whose owner is not disabled. It is durable, with its
    /// body and with the place in the feed behind it. The one that waited longest comes first; nil when none is due.
    /// - Parameters:
    ///   - others: webhooks that are left out: their deliveries are under way.
    ///   - people: owners who are left out.
    func nextDelivery(
        besides others: Set<Webhook.ID>, _ people: Set<User.ID>, at now: Timestamp
    ) async throws -> OutgoingDelivery?
    /// Time at which the next attempt is due after a failure or a pause, `now` for one that is due later than any
    /// pause; nil when none waits.
    func nextAttempt(after now: Timestamp) async throws -> Timestamp?
    /// Notes the result of an attempt with what `nextDelivery` gave. After a failure the next one is due by
    /// `OutboxPace`, and no earlier than the receiver asks for; the webhook is stopped after the last one of that pace,
    /// and after a problem that is final. Returns the webhook as it is then; nil where it was removed meanwhile.
    /// - Parameters:
    ///   - jitter: a factor of the pause, near 1.
    ///   - isTold: whether a letter tells its owner of a webhook that is stopped: once for each message.
    func noteAttempt(
        _ attempt: WebhookAttempt, of delivery: WebhookDelivery.ID, jitter: Double, isTold: Bool, at now: Timestamp
    ) async throws -> Webhook?
    /// The state of all webhooks of people who are not disabled. Takes milliseconds.
    func webhookFigures() async throws -> WebhookFigures
    /// Webhooks of people who are not disabled that are stopped or fail, the oldest first.
    func failingWebhooks(atMost count: Int) async throws -> [OwnedWebhook]
}

/// Sends prepared deliveries of people at once.
package protocol WebhookSending: Sendable {
    /// The reason for which no delivery would go to an address, as far as it can be told without looking the name up;
    /// nil for none.
    func problem(with address: WebhookAddress) -> WebhookProblem?
    /// Sends once, within `WebhookLimits.attemptTime` after a free place was found.
    func send(_ delivery: OutgoingDelivery) async throws -> WebhookAttempt
}

/// Numbers of webhooks.
package struct WebhookFigures: Sendable, Hashable {
    package var on: Int
    /// Number of `on` whose last attempt failed.
    package var failing: Int
    package var stopped: Int
    package var off: Int

    package init(on: Int = 0, failing: Int = 0, stopped: Int = 0, off: Int = 0) {
        (self.on, self.failing, self.stopped, self.off) = (on, failing, stopped, off)
    }
}
