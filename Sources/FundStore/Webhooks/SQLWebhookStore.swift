package import FundCore

/// Webhooks of users, and the register of the messages to them.
package struct SQLWebhookStore: WebhookStore {
    let connection: StoreConnection

    private func reading<Value: Sendable>(
        _ operation: String, of user: User.ID, _ body: @escaping @Sendable (WebhookRows) throws -> Value
    ) async throws -> Value {
        try await connection.readers.run(.look, for: user) { [connection] in
            try connection.read(operation) { try body(WebhookRows(db: $0, user: user)) }
        }
    }

    private func changing<Value: Sendable>(
        _ operation: String, _ room: WriteRoom = .free, of user: User.ID,
        _ body: @escaping @Sendable (WebhookRows) throws -> Value
    ) async throws -> Value {
        try await connection.writing(operation, room, on: connection.queues.changes) {
            try body(WebhookRows(db: $0, user: user))
        }
    }

    func seal() async throws -> WebhookSeal {
        try await connection.running("open the key of the store") { [connection] in
            WebhookSeal(serverKey: try ServerKey.load(connection.location, owner: connection.owner))
        }
    }

    // MARK: Webhooks

    package func webhooks(of user: User.ID) async throws -> [Webhook] {
        try await reading("list webhooks", of: user) { try $0.webhooks() }
    }

    package func webhook(_ id: Webhook.ID, of user: User.ID) async throws -> Webhook {
        let operation = "find a webhook"
        return try await reading(operation, of: user) { try $0.webhook(id, operation) }
    }

    package func addWebhook(_ webhook: NewWebhook, of user: User.ID) async throws -> (Webhook, WebhookSecret) {
        let (operation, secret) = ("add a webhook", WebhookSecret.make())
        let (name, seal) = (try LibraryName.checked(webhook.name, operation), try await seal())
        let added = try await changing(operation, of: user) {
            try $0.add(webhook, named: name, secret, seal, operation)
        }
        return (added, secret)
    }

    package func changeWebhook(
        _ id: Webhook.ID, _ change: WebhookChange, of user: User.ID
    ) async throws -> Webhook {
        let operation = "change a webhook"
        let name = try change.name.map { try LibraryName.checked($0, operation) }
        return try await changing(operation, .reserve, of: user) { try $0.change(id, change, named: name, operation) }
    }

    package func renewSecret(of id: Webhook.ID, of user: User.ID) async throws -> WebhookSecret {
        let (operation, secret, seal) = ("renew the secret of a webhook", WebhookSecret.make(), try await seal())
        try await changing(operation, .reserve, of: user) { try $0.renew(id, secret, seal, operation) }
        return secret
    }

    package func removeWebhook(_ id: Webhook.ID, of user: User.ID) async throws {
        let operation = "remove a webhook"
        try await changing(operation, .reserve, of: user) { try $0.remove(id, operation) }
    }

    // MARK: Deliveries

    package func webhookDeliveries(
        of id: Webhook.ID, of user: User.ID, _ page: PageQuery
    ) async throws -> ListPage<WebhookDelivery> {
        let operation = "list the deliveries of a webhook"
        return try await reading(operation, of: user) { rows in
            _ = try rows.webhook(id, operation)
            return try page.list { cursor, count in
                try DeliveryRows(db: rows.db).deliveries(
                    where: "webhook_id = ? AND id < ? ORDER BY id DESC \(SQL.limit(count))",
                    [id, cursor?.numbers[0] ?? Int64.max])
            }
        }
    }

    package func prepareTest(of id: Webhook.ID, of user: User.ID) async throws -> OutgoingDelivery {
        let (operation, seal) = ("try a webhook", try await seal())
        return try await changing(operation, of: user) { rows in
            _ = try rows.webhook(id, operation)
            let deliveries = DeliveryRows(db: rows.db)
            // It has failed until an answer is noted.
            let test = try deliveries.add(.test, to: id, as: .failed, at: .now)
            return try deliveries.outgoing(test, seal, at: .now, operation)
        }
    }

    package func prepareAgain(
        _ delivery: WebhookDelivery.ID, of id: Webhook.ID, of user: User.ID
    ) async throws -> OutgoingDelivery? {
        let (operation, seal) = ("send a delivery again", try await seal())
        return try await changing(operation, of: user) { rows in
            let webhook = try rows.webhook(id, operation)
            let deliveries = DeliveryRows(db: rows.db)
            let old = try deliveries.deliveries(where: "id = ? AND webhook_id = ?", [delivery, id])
                .one(operation, "there is no delivery \(delivery)")
            guard old.state == .pending else {
                return try deliveries.outgoing(old.id, seal, at: .now, operation)
            }
            guard webhook.state == .on else {
                throw StoreError(.conflict, operation, "it waits until the webhook is on")
            }
            try rows.db.execute("UPDATE webhook SET due_at = ? WHERE id = ?", [Timestamp.now, id])
            return nil
        }
    }

    package func noteSent(
        _ attempt: WebhookAttempt, of delivery: WebhookDelivery.ID
    ) async throws -> WebhookDelivery {
        let operation = "note an attempt to deliver"
        return try await connection.writing(operation, .reserve, on: connection.queues.changes) { db in
            let rows = DeliveryRows(db: db)
            let old = try rows.deliveries(where: "id = ?", [delivery]).one(operation, "it was removed meanwhile")
            // Where it has arrived once, a later failure takes nothing back.
            let state: WebhookDelivery.State =
                attempt.problem == nil || old.state == .delivered ? .delivered : old.state
            try rows.note(attempt, of: delivery, as: state, at: .now)
            return try rows.deliveries(where: "id = ?", [delivery]).one(operation, "it was removed meanwhile")
        }
    }
}
