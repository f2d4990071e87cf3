internal import Foundation
package import FundCore

extension SQLWebhookStore: WebhookRegister {
    package func webhookLease() async throws -> (any MailboxLease)? {
        try await connection.running("take the deliveries to webhooks") { [connection] in
            try connection.leases.take(.webhooks, waitingUpTo: .zero)
        }
    }

    package func nextDelivery(
        besides others: Set<Webhook.ID>, _ people: Set<User.ID>, at now: Timestamp
    ) async throws -> OutgoingDelivery? {
        let operation = "find the next delivery"
        let choice = Choice(others: others, people: people, now: now)
        // Most calls find none, and write nothing.
        guard try await connection.reading(operation, { try choice.webhook($0) }) != nil else { return nil }
        let seal = try await seal()
        return try await connection.writing(operation, on: connection.queues.changes) { db in
            for _ in 0..<Self.maxTries {
                guard let webhook = try choice.webhook(db) else { return nil }
                guard let message = try WebhookMessages(db: db, now: now).next(to: webhook) else { continue }
                return try DeliveryRows(db: db).outgoing(message, seal, at: now, operation)
            }
            return nil
        }
    }

    /// Webhooks without a message that one transaction looks at.
    private static let maxTries = 20

    /// The choice of the next webhook.
    private struct Choice: Sendable {
        var others: Set<Webhook.ID>
        var people: Set<User.ID>
        var now: Timestamp

        /// The webhook that has been due longest, of those that have a message or changes that no message has.
        func webhook(_ db: Database) throws -> Webhook.ID? {
            try db.value(
                """
                SELECT webhook.id FROM webhook JOIN "user" ON "user".id = webhook.user_id
                    LEFT JOIN feed ON feed.user_id = webhook.user_id
                WHERE webhook.state = 'on' AND "user".is_disabled = 0
                    AND (webhook.due_at <= ?1 OR webhook.due_at > ?2)
                    AND NOT webhook.id \(SQL.isAmong("?3")) AND NOT webhook.user_id \(SQL.isAmong("?4"))
                    AND (webhook.feed_number <> coalesce(feed.last, 0) OR webhook.history <> ?5 OR EXISTS (
                        SELECT 1 FROM webhook_delivery AS delivery
                        WHERE delivery.webhook_id = webhook.id AND delivery.state = 'pending'))
                ORDER BY webhook.due_at, webhook.id LIMIT 1
                """,
                [
                    now, now + WebhookLimits.longestAsked, SQL.list(others.map(\.rawValue).sorted()),
                    SQL.list(people.map(\.rawValue).sorted()), try StoreHistory.current(db).rawValue,
                ])
        }
    }

    package func nextAttempt(after now: Timestamp) async throws -> Timestamp? {
        try await connection.reading("find the time of the next delivery") { db in
            let next: Timestamp? = try db.value(
                "SELECT min(due_at) FROM webhook WHERE state = 'on' AND due_at > ?", [now])
            return next.map { $0 > now + WebhookLimits.longestAsked ? now : $0 }
        }
    }

    package func noteAttempt(
        _ attempt: WebhookAttempt, of delivery: WebhookDelivery.ID, jitter: Double, isTold: Bool, at now: Timestamp
    ) async throws -> Webhook? {
        try await connection.writing("note an attempt to deliver", .reserve, on: connection.queues.changes) { db in
            try WebhookMessages(db: db, now: now).note(attempt, of: delivery, jitter: jitter, isTold: isTold)
        }
    }

    // MARK: Operators

    package func webhookFigures() async throws -> WebhookFigures {
        try await connection.reading("count webhooks") { db in
            func count(_ condition: String) throws -> Int {
                try db.value(
                    """
                    SELECT count(*) FROM webhook JOIN "user" ON "user".id = webhook.user_id
                    WHERE "user".is_disabled = 0 AND \(condition)
                    """) ?? 0
            }
            return WebhookFigures(
                on: try count("webhook.state = 'on'"),
                failing: try count("webhook.state = 'on' AND webhook.problem IS NOT NULL"),
                stopped: try count("webhook.state = 'stopped'"), off: try count("webhook.state = 'off'"))
        }
    }

    package func failingWebhooks(atMost count: Int) async throws -> [OwnedWebhook] {
        try await connection.reading("list failing webhooks") { db in
            try Self.owned(
                where: """
                    (webhook.state = 'stopped' OR webhook.state = 'on' AND webhook.problem IS NOT NULL)
                        AND "user".is_disabled = 0 ORDER BY webhook.id LIMIT ?
                    """, [count], db)
        }
    }

    /// Webhooks of all people, the oldest first.
    package func allWebhooks(_ page: PageQuery) async throws -> ListPage<OwnedWebhook> {
        try await connection.reading("list webhooks") { db in
            try page.list { cursor, count in
                try Self.owned(
                    where: "webhook.id > ? ORDER BY webhook.id \(SQL.limit(count))", [cursor?.numbers[0] ?? 0], db)
            }
        }
    }

    /// Forgets a webhook of anybody. Throws `notFound`.
    package func removeWebhook(_ id: Webhook.ID, actor: String) async throws -> OwnedWebhook {
        let operation = "remove the webhook \(id)"
        return try await connection.administering(operation, .reserve, by: actor) { db in
            let owned = try Self.owned(where: "webhook.id = ?", [id], db).one(operation, "there is no webhook \(id)")
            try WebhookRows(db: db, user: owned.webhook.user).remove(id, by: actor, operation)
            return owned
        }
    }

    private static func owned(
        where condition: String, _ arguments: SQLArguments, _ db: Database
    ) throws -> [OwnedWebhook] {
        try db.rows(
            """
            SELECT \(Webhook.columns), "user".email FROM webhook JOIN "user" ON "user".id = webhook.user_id
            WHERE \(condition)
            """, arguments
        ) { OwnedWebhook(webhook: try Webhook(row: $0), owner: $0[12]) }
    }
}

extension OwnedWebhook: ListedItem {
    var cursor: ListCursor { ListCursor(webhook.id.rawValue) }
}
