internal import FundCore

extension JSONWriter {
    mutating func field(_ webhook: Webhook) {
        field("id", webhook.id)
        field("name", webhook.name)
        field("address", webhook.address.text)
        field("kinds", ItemKind.allCases.filter(webhook.kinds.contains).map(\.name))
        field("state", webhook.state.rawValue)
        field("added_at", webhook.addedAt)
        field("former_secret_until", webhook.formerSecretUntil)
        field("failures", webhook.failures)
        field("problem", webhook.problem?.rawValue)
        field("detail", webhook.detail ?? webhook.problem?.text)
        field("next_attempt_at", webhook.nextAttemptAt)
    }

    mutating func field(_ delivery: WebhookDelivery) {
        field("id", delivery.id)
        field("webhook_id", delivery.mark)
        field("type", delivery.event.rawValue)
        field("changes", delivery.changes)
        field("state", delivery.state.rawValue)
        field("attempts", delivery.attempts)
        field("added_at", delivery.addedAt)
        field("attempted_at", delivery.attemptedAt)
        field("status", delivery.status.map(Int64.init))
        field("problem", delivery.problem?.rawValue)
        field("detail", delivery.problem?.text)
        field("milliseconds", delivery.milliseconds.map(Int64.init))
    }
}
