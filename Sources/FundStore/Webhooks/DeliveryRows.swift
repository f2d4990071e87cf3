internal import Foundation
import FundCore

/// The messages to webhooks within one transaction.
struct DeliveryRows {
    let db: Database

    func deliveries(where condition: String, _ arguments: SQLArguments) throws -> [WebhookDelivery] {
        try db.rows(
            "SELECT \(WebhookDelivery.columns) FROM webhook_delivery WHERE \(condition)", arguments,
            as: WebhookDelivery.init(row:))
    }

    /// Adds a message to a webhook, and removes those that are too many.
    func add(
        _ event: WebhookEvent, to webhook: Webhook.ID, _ changes: [ChangePage.Change] = [],
        as state: WebhookDelivery.State, at now: Timestamp
    ) throws -> WebhookDelivery.ID {
        let id: WebhookDelivery.ID = try db.insert(
            """
            INSERT INTO webhook_delivery (webhook_id, mark, event, body, changes, state, added_at)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            [
                webhook, "msg_\(Hex.text(RandomBytes.make(16)))", event.rawValue,
                event.body(of: webhook, changes, at: now), changes.count, state.rawValue, now,
            ])
        try db.execute(
            """
            DELETE FROM webhook_delivery WHERE webhook_id = ?1 AND state <> 'pending' AND id <= (
                SELECT id FROM webhook_delivery WHERE webhook_id = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?2)
            """, [webhook, WebhookLimits.keptDeliveries])
        return id
    }

    /// A message with what signs it.
    func outgoing(
        _ id: WebhookDelivery.ID, _ seal: WebhookSeal, at now: Timestamp, _ operation: String
    ) throws -> OutgoingDelivery {
        let delivery = try deliveries(where: "id = ?", [id]).one(operation, "there is no delivery \(id)")
        let rows = try db.rows(
            "SELECT \(Webhook.columns), secret, former_secret FROM webhook WHERE id = ?", [delivery.webhook]
        ) { row in
            let webhook = try Webhook(row: row)
            var sealed = [row[12] as Data]
            if let until = webhook.formerSecretUntil, until > now, let former: Data = row[13] { sealed.append(former) }
            return (webhook, sealed.compactMap { seal.open([UInt8]($0), of: webhook.id, webhook.user) })
        }
        let (webhook, secrets) = try rows.one(operation, "there is no webhook \(delivery.webhook)")
        let body: String? = try db.value("SELECT body FROM webhook_delivery WHERE id = ?", [id])
        return OutgoingDelivery(delivery: delivery, webhook: webhook, body: body ?? "", secrets: secrets)
    }

    /// Notes an attempt on its message alone.
    func note(
        _ attempt: WebhookAttempt, of id: WebhookDelivery.ID, as state: WebhookDelivery.State, at now: Timestamp
    ) throws {
        try db.execute(
            """
            UPDATE webhook_delivery SET state = ?, attempts = attempts + 1, attempted_at = ?, status = ?, problem = ?,
                milliseconds = ? WHERE id = ?
            """,
            [
                state.rawValue, now, attempt.status, attempt.problem?.rawValue, Int(attempt.duration.milliseconds), id,
            ])
    }
}

extension WebhookDelivery: ListedItem {
    /// Columns of a delivery, in the order in which `init(row:)` reads them.
    static let columns = """
        id, webhook_id, mark, event, changes, state, attempts, added_at, attempted_at, status, problem, milliseconds
        """

    init(row: Row) throws {
        guard let event = WebhookEvent(rawValue: row[3]), let state = State(rawValue: row[5]) else {
            throw StoreError(.corrupted, "read a delivery", "its event or its state is none")
        }
        let problem: String? = row[10]
        self.init(
            id: row[0], webhook: row[1], mark: row[2], event: event, changes: row[4], state: state, attempts: row[6],
            addedAt: row[7], attemptedAt: row[8], status: row[9], problem: problem.flatMap(WebhookProblem.init),
            milliseconds: row[11])
    }

    var cursor: ListCursor { ListCursor(id.rawValue) }
}
