/// The facts about a webhook that the program has stopped.
package struct StoppedWebhookFacts: Sendable, Hashable {
    package var recipient: NotificationRecipient
    package var webhook: Webhook.ID
    /// The name that its owner gave it.
    package var name: String
    /// The host of its address: people put secrets into the rest.
    package var host: String
    package var problem: WebhookProblem
    /// More about the problem in English, such as `status 500`.
    package var detail: String?

    package init(
        recipient: NotificationRecipient, webhook: Webhook.ID, name: String, host: String, problem: WebhookProblem,
        detail: String?
    ) {
        (self.recipient, self.webhook, self.name, self.host) = (recipient, webhook, name, host)
        (self.problem, self.detail) = (problem, detail)
    }
}
