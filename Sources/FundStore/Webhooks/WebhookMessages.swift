import FundCore

/// Makes the messages to webhooks of the feeds of their owners, and notes what became of them, within one write
/// transaction.
struct WebhookMessages {
    /// Pages of changes that are looked through for one message: a webhook may be told of few kinds.
    private static let maxPages = 20

    let db: Database
    let now: Timestamp

    /// The message that is to be sent next: the pending one, or a new one of what changed since. Nil where nothing
    /// changed of which the webhook is told.
    func next(to id: Webhook.ID) throws -> WebhookDelivery.ID? {
        let pending: WebhookDelivery.ID? = try db.value(
            "SELECT id FROM webhook_delivery WHERE webhook_id = ? AND state = 'pending'", [id])
        if let pending { return pending }
        let operation = "make a message to a webhook"
        let (webhook, cursor, history) = try db.rows(
            "SELECT \(Webhook.columns), feed_epoch, feed_number, history FROM webhook WHERE id = ?", [id]
        ) { (try Webhook(row: $0), ChangeCursor(epoch: $0[12], number: $0[13]), $0[14] as Int64) }
        .one(operation, "there is no webhook \(id)")
        let rows = DeliveryRows(db: db)
        guard history == (try StoreHistory.current(db).rawValue), let found = try changes(webhook, after: cursor) else {
            let latest = ChangeCursor(
                epoch: try ChangeEpochs.current(db), number: try ChangeFeed.last(of: webhook.user, db))
            try move(id, to: latest)
            return try rows.add(.resync, to: id, as: .pending, at: now)
        }
        try move(id, to: found.cursor)
        guard !found.changes.isEmpty else {
            try wait(id)
            return nil
        }
        return try rows.add(.changed, to: id, found.changes, as: .pending, at: now)
    }

    private typealias Found = (changes: [ChangePage.Change], cursor: ChangeCursor)

    /// The next changes of which a webhook is told, as many as a message has; nil for a cursor that the feed does not
    /// know.
    private func changes(_ webhook: Webhook, after cursor: ChangeCursor) throws -> Found? {
        let list = ChangeList(view: LibraryView(db: db, user: webhook.user), limit: WebhookLimits.maxChanges)
        var found: Found = ([], cursor)
        do {
            for _ in 0..<Self.maxPages {
                let page = try list.page(after: found.cursor, withItems: false)
                found = (page.changes.filter { webhook.kinds.contains($0.item.kind) }, page.cursor)
                if !found.changes.isEmpty || !page.hasMore { break }
            }
        } catch let error as StoreError where error.code == .outdated {
            return nil
        }
        return found
    }

    private func move(_ id: Webhook.ID, to cursor: ChangeCursor) throws {
        try db.execute(
            "UPDATE webhook SET feed_epoch = ?, feed_number = ?, history = ? WHERE id = ?",
            [cursor.epoch, cursor.number, try StoreHistory.current(db).rawValue, id])
    }

    private func wait(_ id: Webhook.ID) throws {
        try db.execute("UPDATE webhook SET due_at = ? WHERE id = ?", [now + WebhookLimits.messagePause, id])
    }

    // MARK: Results

    /// Notes an attempt with a pending message, see `WebhookRegister.noteAttempt`; nil where it was removed meanwhile.
    func note(
        _ attempt: WebhookAttempt, of delivery: WebhookDelivery.ID, jitter: Double, isTold: Bool
    ) throws -> Webhook? {
        let rows = DeliveryRows(db: db)
        guard let pending = try rows.deliveries(where: "id = ? AND state = 'pending'", [delivery]).first else {
            return nil
        }
        let id = pending.webhook
        try rows.note(attempt, of: delivery, as: attempt.problem == nil ? .delivered : .pending, at: now)
        guard let problem = attempt.problem else {
            try db.execute("UPDATE webhook SET failures = 0, problem = NULL, detail = NULL WHERE id = ?", [id])
            try wait(id)
            return try webhook(id)
        }
        let failures: Int = try db.value("SELECT failures + 1 FROM webhook WHERE id = ?", [id]) ?? 1
        // A receiver that many webhooks lost at the same moment is not asked by all at once.
        let asked = min((attempt.retryAfter ?? .zero) * max(jitter, 1), WebhookLimits.longestAsked)
        let pause = max(OutboxPace.pause(after: failures) * jitter, asked)
        try db.execute(
            "UPDATE webhook SET failures = ?, problem = ?, detail = ?, due_at = ? WHERE id = ?",
            [failures, problem.rawValue, attempt.detail.map { $0.label.prefix(bytes: 300) }, now + pause, id])
        if problem.isFinal || failures >= OutboxPace.maxAttempts {
            try stop(id, problem, tellingOf: isTold ? delivery : nil)
        }
        return try webhook(id)
    }

    /// - Parameter delivery: the message of which a letter tells the owner; nil for no letter.
    private func stop(_ id: Webhook.ID, _ problem: WebhookProblem, tellingOf delivery: WebhookDelivery.ID?) throws {
        // Its owner may have paused it during the attempt.
        guard try db.execute("UPDATE webhook SET state = 'stopped' WHERE id = ? AND state = 'on'", [id]) > 0 else {
            return
        }
        guard let webhook = try webhook(id) else { return }
        let operation = "stop a webhook"
        try WebhookRows(db: db, user: webhook.user).writeAudit(
            .webhookStop, of: webhook.name, "\(webhook.address.host): \(problem.text)", by: "fundmail", operation)
        guard let delivery else { return }
        _ = try OutboxRows(db: db, now: now).add(
            .webhook(delivery), to: try UserRows.email(of: webhook.user, db, operation))
    }

    private func webhook(_ id: Webhook.ID) throws -> Webhook? {
        try db.rows("SELECT \(Webhook.columns) FROM webhook WHERE id = ?", [id], as: Webhook.init(row:)).first
    }
}
