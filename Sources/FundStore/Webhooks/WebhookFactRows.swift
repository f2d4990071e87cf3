import FundCore

/// Reads what a letter about a stopped webhook tells, within one transaction.
struct WebhookFactRows {
    let db: Database
    /// The address that the letter goes to.
    let recipient: String

    /// - Parameter delivery: the message that could not be delivered.
    func facts(_ delivery: WebhookDelivery.ID) throws -> LetterFacts {
        let found = try db.rows(
            """
            SELECT \(Webhook.columns) FROM webhook_delivery
                JOIN webhook ON webhook.id = webhook_delivery.webhook_id WHERE webhook_delivery.id = ?
            """, [delivery], as: Webhook.init(row:)
        ).first
        guard let webhook = found else { return .gone("the webhook was removed") }
        guard webhook.state == .stopped, let problem = webhook.problem else {
            return .gone("the webhook is not stopped any more")
        }
        let (person, reason) = try UserRows.recipient(webhook.user, at: recipient, db)
        guard let person else { return .gone(reason) }
        return .webhook(
            StoppedWebhookFacts(
                recipient: person, webhook: webhook.id, name: webhook.name, host: webhook.address.host,
                problem: problem, detail: webhook.detail))
    }
}
