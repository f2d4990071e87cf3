import FundCore

/// Writes the rows of messages within one transaction.
struct BatchFiling {
    let db: Database
    let now: Timestamp
    private let batch = BatchNotes()
    private let letters: LetterQueue
    private let room: StorageRoom

    init(db: Database, now: Timestamp, letterLimits: OutboxLimits, storageLimits: StorageLimits) {
        (self.db, self.now) = (db, now)
        letters = LetterQueue(db: db, now: now, limits: letterLimits)
        room = StorageRoom(db: db, limits: storageLimits)
    }

    /// Writes the rows of messages. Returns what became of each, in their order.
    func take(_ messages: [StagedMessage]) throws -> [StoredMessage] {
        let stored = try messages.map(take)
        try batch.finish(db)
        return stored
    }

    private func take(_ staged: StagedMessage) throws -> StoredMessage {
        let (stored, messageID) = try store(staged)
        try settleHeader(by: stored)
        // The state of the server is not known for a message that is filed again.
        if staged.message.receivedAt == nil { try log(stored, of: messageID) }
        return stored
    }

    /// Stores a message. Returns what became of it, and the row that holds it.
    private func store(_ staged: StagedMessage) throws -> (StoredMessage, MessageRows.ID) {
        var (message, records) = (staged.message, staged.records)
        var first = try firstCopy(of: message)
        if first?.isElsewhere ?? true, try !takeRoom(for: message) {
            message.decision.keep(for: .overQuota)
            // It may repeat one that has no room either, and waits already.
            first = try firstCopy(of: message)
        }
        if let first, !first.isElsewhere {
            if records.isReplacement, let copy = try MessageRows.firstCopy(of: message, db),
                let old = copy.location
            {
                try replace(copy, at: old, by: message.spooled, records)
            } else if let record = records.message, !records.isAdopted {
                // Another copy was faster. Its blobs may be what a message of a later batch counts on.
                try SegmentRows(db: db).discard(record.location, of: message.spooled.digest)
            }
            let stored = StoredMessage(
                message: message, outcome: .duplicate, reason: nil, emailID: first.emailID,
                misrouteID: first.misrouteID, copy: first.place)
            return (stored, first.messageID)
        }
        guard let record = records.message else {
            throw StoreError(.stale, "store a message", "the copy that it repeats is gone")
        }
        let (outcome, reason) = (message.decision.outcome, message.decision.reason)
        let messageID = try insertMessage(message, record)
        let blobs = try link(records, to: messageID)
        var (emailID, misrouteID): (EmailSummary.ID?, MisrouteRecord.ID?)
        if outcome == .filed {
            let filing = EmailFiling(db: db, now: message.receivedAt ?? now, batch: batch)
            let id = try filing.file(
                message, records, messageID: messageID, blobs: blobs, beside: first?.emailID)
            emailID = id
            try DeskRows.noteHit(db, of: message, now: now, batch: batch)
            try MisrouteRows.supersede(db, copiesOf: message.spooled, by: id, now: now)
            try tell(message, of: .filed(id))
        } else {
            let id = try MisrouteRows.insert(db, message, messageID: messageID)
            misrouteID = id
            if let bounce = message.bounce {
                let note = try BounceRows(db: db).note(bounce, now: now)
                try MisrouteRows.markRejected(db, id, note: note, actor: "fundmail", now: now)
            }
            try tell(message, of: .kept(id))
        }
        let stored = StoredMessage(
            message: message, outcome: outcome, reason: reason, emailID: emailID, misrouteID: misrouteID,
            copy: first?.place)
        return (stored, messageID)
    }

    /// Takes the room of what is to be filed; false where its owner has less, and it has to wait.
    private func takeRoom(for message: RoutedMessage) throws -> Bool {
        guard let (owner, bytes) = message.neededRoom else { return true }
        return try room.take(bytes, of: owner)
    }

    /// Queues a letter to the sender, who asked for it. Of mail that is filed again from the log nothing is told.
    private func tell(_ message: RoutedMessage, of cause: OutboxCause) throws {
        guard let receipt = message.receipt, message.receivedAt == nil, receipt.choice.includes(cause.kind) else {
            return
        }
        try letters.add(cause, to: receipt.recipient, topic: message.decision.reason?.rawValue ?? "")
    }

    /// Links a message to the blobs that it repeats, which live as long as it does. Returns their rows.
    @discardableResult
    private func link(_ records: StagedRecords, to messageID: MessageRows.ID) throws -> [ContentDigest: BlobRows.ID] {
        var ids: [ContentDigest: BlobRows.ID] = [:]
        for blob in records.repeated where ids[blob.digest] == nil {
            let id = try BlobRows(db: db, batch: batch).id(
                of: blob.digest, size: blob.size, records.blobs[blob.digest],
                replacing: records.replacement(of: blob.digest))
            try db.execute(
                "INSERT INTO message_blob (message_id, blob_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [messageID, id])
            ids[blob.digest] = id
        }
        return ids
    }

    // MARK: Duplicates

    /// The message came again, perhaps by another way, and the bytes of its first copy are damaged: those that came now
    /// take their place.
    private func replace(
        _ first: MessageRows.Copy, at old: RecordLocation, by spooled: SpooledMessage, _ records: StagedRecords
    ) throws {
        guard let record = records.message else { return }
        batch.note(record)
        try SegmentRows(db: db).release(old, of: first.digest)
        try db.execute(
            "UPDATE message SET digest = ?, size = ?, \(RecordLocation.assignments) WHERE id = ?",
            [spooled.digest, spooled.size] + record.location.arguments + [first.id])
        for (blob, record) in records.blobs {
            try BlobRows(db: db, batch: batch).replace(records.replacement(of: blob), of: blob, with: record)
        }
        try link(records, to: first.id)
    }

    private struct FirstCopy {
        var messageID: MessageRows.ID
        var emailID: EmailSummary.ID?
        var misrouteID: MisrouteRecord.ID?
        var place: FiledPlace?
        /// Whether it was filed by hand for another owner, and does not stand in for this one.
        var isElsewhere = false
    }

    /// The row with the same bytes; or that of the message that came another way, if it was filed or this one would not
    /// be filed.
    private func firstCopy(of message: RoutedMessage) throws -> FirstCopy? {
        if let id: MessageRows.ID = try db.value("SELECT id FROM message WHERE digest = ?", [message.spooled.digest]) {
            return try describe(id)
        }
        let filed = try MessageRows.filedCopy(of: message, db)
        if let filed, !filed.isElsewhere { return try describe(filed.message) }
        if message.decision.outcome != .filed,
            let kept = try MessageRows.keptCopy(of: message.spooled, reason: message.decision.reason, db)
        {
            return try describe(kept)
        }
        guard let filed else { return nil }
        var first = try describe(filed.message)
        first.isElsewhere = true
        return first
    }

    private func describe(_ messageID: MessageRows.ID) throws -> FirstCopy {
        let row = try db.row(
            """
            SELECT email.id, misroute.id, "user".email, fund.name
            FROM message LEFT JOIN misroute ON misroute.message_id = message.id
                LEFT JOIN email ON email.id = coalesce(
                    (SELECT id FROM email WHERE message_id = message.id), misroute.email_id)
                LEFT JOIN fund ON fund.id = email.fund_id LEFT JOIN "user" ON "user".id = fund.owner_id
            WHERE message.id = ?
            """, [messageID])
        var first = FirstCopy(messageID: messageID, emailID: row?[0], misrouteID: row?[1])
        if let email = first.emailID, let user: String = row?[2], let fund: String = row?[3] {
            first.place = FiledPlace(email: email, user: user, fund: fund)
        }
        return first
    }

    /// Resolves the entry of a message whose header alone was fetched, since it was larger than the limit at that time,
    /// and that comes whole now. To be called before its delivery is logged.
    private func settleHeader(by stored: StoredMessage) throws {
        let reference = stored.message.reference
        guard stored.message.refusal == nil, let mailbox = reference.mailbox else { return }
        let id: MisrouteRecord.ID? = try db.value(
            """
            SELECT misroute.id FROM delivery JOIN misroute ON misroute.message_id = delivery.message_id
            WHERE delivery.is_header_only = 1 AND delivery.mailbox = ? AND delivery.place = ?
                AND delivery.departed_at IS NULL AND delivery.announced_bytes IS NOT DISTINCT FROM ?
                AND misroute.resolution IS NULL
            """, [mailbox, reference.place, reference.announcedBytes])
        guard let id else { return }
        if let emailID = stored.emailID {
            try MisrouteRows.markFiled(db, id, emailID: emailID, actor: "fundmail", now: now)
            try MisrouteRows.noteSuperseded(db, id, "it came whole and was filed as email \(emailID)", now: now)
        } else if stored.misrouteID == id {
            // It has nothing but a header: from now on it can be routed like any other.
            try db.execute(
                "UPDATE message SET is_header_only = 0 WHERE id = (SELECT message_id FROM misroute WHERE id = ?)", [id])
        } else if let wholeID = stored.misrouteID {
            let note = "it came whole: see misrouted \(wholeID)"
            try MisrouteRows.markRejected(db, id, note: note, actor: "fundmail", now: now)
            try MisrouteRows.noteSuperseded(db, id, note, now: now)
        }
    }

    // MARK: Rows

    private func insertMessage(_ message: RoutedMessage, _ record: AppendedRecord) throws -> MessageRows.ID {
        batch.note(record)
        return try db.insert(
            """
            INSERT INTO message (digest, fingerprint, size, outcome, reason, mailbox, place, received_at,
                is_header_only, \(RecordLocation.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                message.spooled.digest, message.spooled.fingerprint, message.spooled.size,
                message.decision.outcome.rawValue, message.decision.reason?.rawValue, message.reference.mailbox,
                message.reference.place, message.receivedAt ?? now, message.refusal != nil,
            ] + record.location.arguments)
    }

    /// A server's place is logged once. A message that was not acknowledged comes again from the same place, and stays
    /// what it was; another message there, or the same one after it had departed, takes the row over.
    private func log(_ stored: StoredMessage, of messageID: MessageRows.ID) throws {
        let (message, reference) = (stored.message, stored.message.reference)
        try db.execute(
            Self.logSQL,
            [
                reference.mailbox, reference.place, message.spooled.digest, messageID,
                stored.outcome.rawValue, stored.reason?.rawValue, now, reference.announcedBytes, message.refusal != nil,
                reference.hasSizeMismatch,
            ])
    }

    private static let logSQL: String = {
        let same = "delivery.digest = excluded.digest AND delivery.departed_at IS NULL"
        let taken = ["message_id", "outcome", "reason", "at"].map { column in
            "\(column) = CASE WHEN \(same) THEN delivery.\(column) ELSE excluded.\(column) END"
        }
        return """
            INSERT INTO delivery (mailbox, place, digest, message_id, outcome, reason, at, announced_bytes,
                is_header_only, has_size_mismatch) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (mailbox, place) WHERE mailbox IS NOT NULL DO UPDATE SET
                \(taken.joined(separator: ", ")), digest = excluded.digest, departed_at = NULL,
                announced_bytes = excluded.announced_bytes, is_header_only = excluded.is_header_only,
                has_size_mismatch = excluded.has_size_mismatch
            WHERE NOT (\(same) AND delivery.announced_bytes IS excluded.announced_bytes
                AND delivery.is_header_only = excluded.is_header_only
                AND delivery.has_size_mismatch = excluded.has_size_mismatch)
            """
    }()
}
