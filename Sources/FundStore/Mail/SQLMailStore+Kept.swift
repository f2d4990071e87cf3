package import FundCore

extension SQLMailStore: KeptMailStore {
    /// Throws `notFound`, or `alreadyResolved` when it was filed. What was rejected may still be filed.
    package func kept(_ misrouteID: MisrouteRecord.ID) async throws -> KeptMessage {
        let operation = "read misrouted \(misrouteID)"
        return try await connection.reading(operation) { db in
            let record = try MisrouteRows.record(db, misrouteID)
            try MisrouteRows.refuseIfFiled(db, record, operation)
            let sql = """
                SELECT misroute.trust, message.is_header_only FROM misroute
                JOIN message ON message.id = misroute.message_id WHERE misroute.id = ?
                """
            guard let row = try db.row(sql, [misrouteID]) else {
                throw StoreError(.notFound, operation, "there is no such entry")
            }
            var kept = KeptMessage(
                misrouteID: misrouteID, reference: record.reference, digest: record.digest, size: record.size,
                trust: try MisrouteRows.trust(of: row[0]))
            if row[1] { kept.refusal = Refusal(reason: .tooLarge, detail: record.detail ?? "") }
            return kept
        }
    }

    package func spool(_ kept: KeptMessage) throws -> SpooledMessage {
        try KeptBytes(digest: kept.digest, size: kept.size).spool(from: log)
    }

    /// Throws `alreadyResolved` when it was filed before.
    package func resolve(
        _ misrouteID: MisrouteRecord.ID, staged: StagedMessage, sender: User.ID?, in act: DeskAct.ID,
        by right: FilingRight
    ) async throws -> StoredMessage {
        let operation = "file misrouted \(misrouteID)"
        return try await connection.queues.commits.run { [self] in
            let (stored, _) = try committing([staged], operation, orElse: { takeBack([staged]) }) { db in
                [try file(staged, misrouteID, sender, in: act, by: right, operation, db)]
            }
            return stored[0]
        }
    }

    private func file(
        _ staged: StagedMessage, _ misrouteID: MisrouteRecord.ID, _ sender: User.ID?, in act: DeskAct.ID,
        by right: FilingRight, _ operation: String, _ db: Database
    ) throws -> StoredMessage {
        let actor = right.actor
        let record = try MisrouteRows.record(db, misrouteID)
        try check(right, record, staged.message.decision, operation, db)
        try MisrouteRows.refuseIfFiled(db, record, operation)
        guard record.digest == staged.message.spooled.digest else {
            throw StoreError(.invalid, operation, "another message was staged for it")
        }
        let messageID = try MisrouteRows.messageID(db, misrouteID, operation)
        let now = Timestamp.now
        // One that was put aside may have come again and been filed since.
        let copy = try MessageRows.filedCopy(of: staged.message, db)
        if let copy, !copy.isElsewhere {
            throw StoreError(.alreadyResolved, operation, "another copy of it was filed as email \(copy.email)")
        }
        if let (owner, bytes) = staged.message.neededRoom {
            try StorageRoom(db: db, limits: connection.storageLimits).take(bytes, of: owner, operation)
        }
        let batch = BatchNotes()
        let emailID = try EmailFiling(db: db, now: now, batch: batch).file(
            staged.message, staged.records, messageID: messageID, beside: copy?.email)
        try batch.finish(db)
        try db.execute("UPDATE message SET outcome = 'filed', reason = NULL WHERE id = ?", [messageID])
        try MisrouteRows.markFiled(db, misrouteID, emailID: emailID, actor: actor, now: now)
        let decision = staged.message.decision
        try MisrouteRows.supersede(
            db, copiesOf: staged.message.spooled, by: emailID, byHandFor: sender == nil ? decision.user?.id : nil,
            now: now)
        if let sender {
            try DeskRows.noteHit(db, of: staged.message, now: now, batch: batch)
            try db.execute("UPDATE misroute SET user_id = ? WHERE id = ?", [sender, misrouteID])
        }
        try tell(staged.message, misrouteID, emailID, right, now, db)
        let desk = DeskRows(db: db, actor: actor, now: now)
        try desk.add(
            DeskRows.Step(kind: .file, message: misrouteID, emailID: emailID, userBefore: record.user), to: act)
        try db.writeAudit(
            .misrouteFile, of: "misrouted \(misrouteID)",
            "email \(emailID) in \(decision.fund?.name ?? "") of \(decision.user?.email ?? "")", by: actor)
        return StoredMessage(
            message: staged.message, outcome: .filed, reason: nil, emailID: emailID, misrouteID: misrouteID)
    }

    /// Queues a letter to the sender that the mail was filed, who need not hear any more why it was kept. A sender who
    /// files their own knows it.
    private func tell(
        _ message: RoutedMessage, _ misroute: MisrouteRecord.ID, _ email: EmailSummary.ID, _ right: FilingRight,
        _ now: Timestamp, _ db: Database
    ) throws {
        let rows = OutboxRows(db: db, now: now)
        if case .sender = right { return try rows.replaceKept(misroute) }
        guard let receipt = message.receipt, receipt.choice.includes(.filedLater) else { return }
        try rows.replaceKept(misroute)
        try LetterQueue(db: db, now: now, limits: letterLimits).add(.filedLater(email), to: receipt.recipient)
    }

    /// Throws `conflict` and `notFound`, see `resolve`.
    private func check(
        _ right: FilingRight, _ record: MisrouteRecord, _ decision: RoutingDecision, _ operation: String, _ db: Database
    ) throws {
        switch right {
        case .administrator(let actor, let evenPutAside):
            try UserRows(db: db, actor: actor).checkActor(operation)
            if !evenPutAside { try MisrouteRows.refuseUnlessWaiting(db, record, operation) }
        case .sender(let user, _):
            try UserRows.checkEnabled(user, db, operation)
            guard record.user == user, decision.user?.id == user else {
                throw StoreError(.notFound, operation, "there is no such mail of theirs")
            }
            // Neither the person who settled it nor the fund is named: it may be another's.
            guard record.resolution == nil else {
                throw StoreError(.alreadyResolved, operation, "it does not wait any more")
            }
            guard record.isForSender, try UserRows.isSender(user, from: record.sender, db) else {
                throw StoreError(.conflict, operation, "it waits for an administrator, not for a fund alone")
            }
            let isTheirs = try db.exists(
                """
                SELECT 1 FROM fund WHERE id = ? AND owner_id = ? AND deleted_at IS NULL AND archived_at IS NULL
                """, [decision.fund?.id, user])
            guard isTheirs else { throw StoreError(.notFound, operation, "there is no such fund") }
        }
    }

    package func updateRouting(_ misrouteID: MisrouteRecord.ID, decision: RoutingDecision) async throws {
        let operation = "update misrouted \(misrouteID)"
        try await connection.writing(operation) { db in
            let record = try MisrouteRows.record(db, misrouteID)
            try MisrouteRows.refuseIfFiled(db, record, operation)
            guard let reason = decision.reason else { throw StoreError(.invalid, operation, "there is no reason") }
            let messageID = try MisrouteRows.messageID(db, misrouteID, operation)
            try db.execute(
                """
                UPDATE misroute SET outcome = ?, reason = ?, user_id = ?, tag = ?, suggestions = ?,
                    is_unverified = ?, cause = ?, relay = ?, author = ?, attempts = attempts + 1 WHERE id = ?
                """,
                [
                    decision.outcome.rawValue, reason.rawValue, decision.user?.id, decision.tag,
                    MisrouteRows.list(decision.suggestions), decision.isUnverified,
                    MisrouteRows.cause(reason, decision, sender: record.sender), decision.relay?.kind.rawValue,
                    decision.relay?.author, misrouteID,
                ])
            try db.execute(
                "UPDATE message SET outcome = ?, reason = ? WHERE id = ?",
                [decision.outcome.rawValue, reason.rawValue, messageID])
        }
    }
}
