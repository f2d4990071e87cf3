/// Bounds of webhooks.
package enum WebhookLimits {
    /// Webhooks of one person.
    package static let maxWebhooks = 10
    /// Changes in one message: some 10 kB.
    package static let maxChanges = 100
    /// Deliveries of a webhook that are shown and can be sent again; older ones go.
    package static let keptDeliveries = 50
    /// Time for an attempt, which ends with the answer.
    package static let attemptTime = Duration.seconds(15)
    /// Time in which a former secret signs, too.
    package static let formerSecretTime = Duration.seconds(86_400)
    /// The least time between two messages to one webhook: what changes meanwhile goes with the next.
    package static let messagePause = Duration.seconds(1)
    /// Upper bound of the pause that a receiver asks for.
    package static let longestAsked = Duration.seconds(86_400)
}
