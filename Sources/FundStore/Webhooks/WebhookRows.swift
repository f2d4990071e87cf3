internal import Foundation
import FundCore

/// The webhooks of one user within one transaction.
struct WebhookRows: OwnRows {
    let db: Database
    let user: User.ID

    func webhooks() throws -> [Webhook] {
        try db.rows(
            "SELECT \(Webhook.columns) FROM webhook WHERE user_id = ? ORDER BY name_key", [user],
            as: Webhook.init(row:))
    }

    func webhook(_ id: Webhook.ID, _ operation: String) throws -> Webhook {
        try db.rows(
            "SELECT \(Webhook.columns) FROM webhook WHERE id = ? AND user_id = ?", [id, user], as: Webhook.init(row:)
        ).one(operation, "there is no webhook \(id)")
    }

    // MARK: Changes

    func add(
        _ new: NewWebhook, named name: String, _ secret: WebhookSecret, _ seal: WebhookSeal, _ operation: String
    ) throws -> Webhook {
        try UserRows.checkEnabled(user, db, operation)
        let count: Int = try db.value("SELECT count(*) FROM webhook WHERE user_id = ?", [user]) ?? 0
        guard count < WebhookLimits.maxWebhooks else {
            throw StoreError(
                operation, InputProblem(.tooManyWebhooks, "there are \(count) webhooks: remove one first"))
        }
        try checkFree(name, in: "webhook", besides: nil as Webhook.ID?, operation)
        let id: Webhook.ID = try db.insert(
            """
            INSERT INTO webhook (user_id, name, name_key, address, kinds, state, secret, feed_epoch, feed_number,
                history, added_at, due_at)
            VALUES (?, ?, ?, ?, ?, 'on', ?, ?, ?, ?, ?, ?)
            """,
            [
                user, name, FileName.key(name), new.address.text, try Self.text(of: new.kinds, operation), Data(),
                try ChangeEpochs.current(db), try ChangeFeed.last(of: user, db),
                try StoreHistory.current(db).rawValue, Timestamp.now, Timestamp.now,
            ])
        // The sealed bytes name the row, whose number is known by now.
        try db.execute(
            "UPDATE webhook SET secret = ? WHERE id = ?", [Data(try seal.seal(secret, of: id, user)), id])
        try writeAudit(.webhookAdd, of: name, new.address.host, operation)
        return try webhook(id, operation)
    }

    func change(_ id: Webhook.ID, _ change: WebhookChange, named name: String?, _ operation: String) throws -> Webhook {
        let old = try webhook(id, operation)
        if let name, name != old.name {
            try checkFree(name, in: "webhook", besides: id, operation)
            try db.execute("UPDATE webhook SET name = ?, name_key = ? WHERE id = ?", [name, FileName.key(name), id])
        }
        if let kinds = change.kinds {
            try db.execute("UPDATE webhook SET kinds = ? WHERE id = ?", [try Self.text(of: kinds, operation), id])
        }
        if let address = change.address {
            try db.execute("UPDATE webhook SET address = ? WHERE id = ?", [address.text, id])
        }
        if let isOn = change.isOn {
            let state: Webhook.State = isOn ? .on : .off
            try db.execute("UPDATE webhook SET state = ? WHERE id = ?", [state.rawValue, id])
        }
        // Its owner has looked after it: it is tried at once, and by the whole pace.
        if change.isOn == true || change.address != nil {
            try db.execute(
                "UPDATE webhook SET due_at = ?, failures = 0, problem = NULL, detail = NULL WHERE id = ?",
                [Timestamp.now, id])
        }
        let new = try webhook(id, operation)
        if new != old {
            try writeAudit(.webhookChange, of: new.name, "\(new.address.host) \(new.state.rawValue)", operation)
        }
        return new
    }

    func renew(_ id: Webhook.ID, _ secret: WebhookSecret, _ seal: WebhookSeal, _ operation: String) throws {
        let webhook = try webhook(id, operation)
        // A secret that cannot be unsealed signs nothing.
        try db.execute(
            """
            UPDATE webhook SET former_secret = secret, former_until = ?, secret = ?, due_at = ?, failures = 0,
                problem = NULL, detail = NULL,
                state = CASE WHEN state = 'stopped' AND problem = '\(WebhookProblem.secret.rawValue)' THEN 'on'
                    ELSE state END
            WHERE id = ?
            """,
            [
                Timestamp.now + WebhookLimits.formerSecretTime, Data(try seal.seal(secret, of: id, user)),
                Timestamp.now, id,
            ])
        try writeAudit(.webhookSecret, of: webhook.name, webhook.address.host, operation)
    }

    /// - Parameter actor: the one who does it; nil for the user.
    func remove(_ id: Webhook.ID, by actor: String? = nil, _ operation: String) throws {
        let webhook = try webhook(id, operation)
        try db.execute("DELETE FROM webhook_delivery WHERE webhook_id = ?", [id])
        try db.execute("DELETE FROM webhook WHERE id = ?", [id])
        try writeAudit(.webhookRemove, of: webhook.name, webhook.address.host, by: actor, operation)
    }

    /// Kinds as the column has them.
    private static func text(of kinds: Set<ItemKind>, _ operation: String) throws -> String {
        guard !kinds.isEmpty else {
            throw StoreError(operation, InputProblem(.webhookKinds, "choose at least one kind of item"))
        }
        return ItemKind.allCases.filter(kinds.contains).map(\.name).joined(separator: ",")
    }
}

extension Webhook {
    /// Columns of a webhook, in the order in which `init(row:)` reads them.
    static let columns = """
        webhook.id, webhook.user_id, webhook.name, webhook.address, webhook.kinds, webhook.state, webhook.added_at,
            webhook.former_until, webhook.failures, webhook.problem, webhook.detail, webhook.due_at
        """

    init(row: Row) throws {
        guard let address = WebhookAddress(row[3]), let state = State(rawValue: row[5]) else {
            throw StoreError(.corrupted, "read a webhook", "its address or its state is none")
        }
        let (names, problem): (String, String?) = (row[4], row[9])
        let failures: Int = row[8]
        self.init(
            id: row[0], user: row[1], name: row[2], address: address,
            kinds: Set(ItemKind.allCases.filter { names.split(separator: ",").contains(Substring($0.name)) }),
            state: state, addedAt: row[6], formerSecretUntil: row[7], failures: failures,
            problem: problem.flatMap(WebhookProblem.init), detail: row[10],
            nextAttemptAt: failures > 0 && state == .on ? row[11] : nil)
    }
}
