internal import GRDB
package import FundCore

extension FundStore: KeptMailStore {
    /// Throws `notFound`.
    package func misroute(_ id: Int64) async throws -> MisrouteRecord {
        try await blocking { [self] in
            try read("read misrouted \(id)") { try Self.misrouteRecord($0, id) }
        }
    }

    /// Throws `notFound`, or `alreadyResolved` when it was filed. What was rejected may still be filed.
    package func kept(_ misrouteID: Int64) async throws -> KeptMessage {
        let operation = "read misrouted \(misrouteID)"
        return try await blocking { [self] in
            try read(operation) { db in
                let record = try Self.misrouteRecord(db, misrouteID)
                try Self.refuseIfFiled(record, operation)
                let sql = """
                    SELECT message.fingerprint, misroute.trust, message.is_header_only FROM misroute
                    JOIN message ON message.id = misroute.message_id WHERE misroute.id = ?
                    """
                guard let row = try Row.fetchOne(db, sql: sql, arguments: [misrouteID]) else {
                    throw StoreError(.notFound, operation, "there is no such entry")
                }
                let path = layout.raw(record.digest)
                guard StoreLayout.size(of: path) == record.size else {
                    throw StoreError(
                        .corrupted, operation, "its raw message is missing or cut off; see `fundmail verify`")
                }
                let spooled = SpooledMessage(
                    path: path, size: record.size, digest: record.digest,
                    fingerprint: try ContentDigest(column: row[0]))
                var kept = KeptMessage(
                    misrouteID: misrouteID, reference: record.reference, spooled: spooled,
                    trust: try MisrouteRows.trust(of: row[1]))
                if row[2] { kept.refusal = Refusal(reason: .tooLarge, detail: record.detail ?? "") }
                return kept
            }
        }
    }

    /// Throws `alreadyResolved` when it was filed before, by whomever.
    package func resolve(_ misrouteID: Int64, staged: StagedMessage, actor: String) async throws -> StoredMessage {
        let operation = "file misrouted \(misrouteID)"
        return try await committing { [self] in
            do { return try fileBlocking(staged, misrouteID, actor: actor, operation) } catch {
                // After an error of the disk the rows may be there after all.
                if (error as? StoreError)?.code != .io { takeBack([staged]) }
                throw error
            }
        }
    }

    private func fileBlocking(
        _ staged: StagedMessage, _ misrouteID: Int64, actor: String, _ operation: String
    ) throws -> StoredMessage {
        try crossBarrier(for: [staged])
        faults.reach(.beforeCommit)
        let stored = try write(operation) { db in
            let record = try Self.misrouteRecord(db, misrouteID)
            try Self.refuseIfFiled(record, operation)
            guard record.digest == staged.message.spooled.digest else {
                throw StoreError(.invalid, operation, "another message was staged for it")
            }
            let messageID = try Self.messageID(db, misrouteID, operation)
            let now = currentSeconds()
            try Self.refuseIfCopyIsFiled(db, staged.message.spooled, operation)
            let emailID = try EmailFiling(db: db, layout: layout, now: now).file(
                staged.message, messageID: messageID)
            try db.execute(
                sql: "UPDATE message SET outcome = 'filed', reason = NULL WHERE id = ?", arguments: [messageID])
            try MisrouteRows.markFiled(db, misrouteID, emailID: emailID, actor: actor, now: now)
            let decision = staged.message.decision
            try Audit.write(
                db, actor: actor, action: "misroute.file", subject: "misrouted \(misrouteID)",
                detail: "email \(emailID) in \(decision.fund?.name ?? "") of \(decision.user?.email ?? "")")
            return StoredMessage(
                message: staged.message, outcome: .filed, reason: nil, emailID: emailID, misrouteID: misrouteID)
        }
        faults.reach(.afterCommit)
        forgetFreshBlobs(of: [stored])
        return stored
    }

    package func updateRouting(_ misrouteID: Int64, decision: RoutingDecision) async throws {
        let operation = "update misrouted \(misrouteID)"
        try await blocking { [self] in
            try write(operation) { db in
                try Self.refuseIfFiled(Self.misrouteRecord(db, misrouteID), operation)
                let reason = decision.reason
                guard let reason else { throw StoreError(.invalid, operation, "there is no reason") }
                let messageID = try Self.messageID(db, misrouteID, operation)
                try db.execute(
                    sql: """
                        UPDATE misroute SET outcome = ?, reason = ?, user_id = ?, tag = ?, suggestions = ?,
                            is_unverified = ?, attempts = attempts + 1 WHERE id = ?
                        """,
                    arguments: [
                        decision.outcome.rawValue, reason.rawValue, decision.user?.id, decision.tag?.cleaned,
                        MisrouteRows.list(decision.suggestions), decision.isUnverified, misrouteID,
                    ])
                try db.execute(
                    sql: "UPDATE message SET outcome = ?, reason = ? WHERE id = ?",
                    arguments: [decision.outcome.rawValue, reason.rawValue, messageID])
            }
        }
    }

    /// Puts it aside; the raw message stays. Throws `alreadyResolved` when it was filed; rejecting twice is harmless.
    package func reject(_ misrouteID: Int64, note: String, actor: String) async throws {
        let operation = "reject misrouted \(misrouteID)"
        try await blocking { [self] in
            try write(operation) { db in
                let record = try Self.misrouteRecord(db, misrouteID)
                try Self.refuseIfFiled(record, operation)
                guard record.resolution == nil else { return }
                try MisrouteRows.markRejected(db, misrouteID, note: note, actor: actor, now: currentSeconds())
                try Audit.write(
                    db, actor: actor, action: "misroute.reject", subject: "misrouted \(misrouteID)", detail: note)
            }
        }
    }

    // MARK: Rows

    private static func refuseIfFiled(_ record: MisrouteRecord, _ operation: String) throws {
        guard case .filed(let emailID)? = record.resolution else { return }
        throw StoreError(.alreadyResolved, operation, "it was filed as email \(emailID)")
    }

    /// One that was put aside may have come again and been filed since.
    private static func refuseIfCopyIsFiled(
        _ db: Database, _ message: SpooledMessage, _ operation: String
    ) throws {
        let sql = "SELECT id FROM email WHERE \(message.hasFingerprint)"
        guard let emailID = try Int64.fetchOne(db, sql: sql, arguments: message.fingerprintColumns) else { return }
        throw StoreError(.alreadyResolved, operation, "another copy of it was filed as email \(emailID)")
    }

    private static func messageID(_ db: Database, _ id: Int64, _ operation: String) throws -> Int64 {
        guard
            let messageID = try Int64.fetchOne(db, sql: "SELECT message_id FROM misroute WHERE id = ?", arguments: [id])
        else { throw StoreError(.notFound, operation, "there is no such entry") }
        return messageID
    }

    private static func misrouteRecord(_ db: Database, _ id: Int64) throws -> MisrouteRecord {
        guard let record = try misrouteRecords(db, where: "misroute.id = ?1", [id]).first else {
            throw StoreError(.notFound, "find misrouted \(id)", "there is no such entry")
        }
        return record
    }

    static func misrouteRecords(
        _ db: Database, where condition: String, _ arguments: StatementArguments, limit: Int? = nil
    ) throws -> [MisrouteRecord] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT misroute.*, message.digest, message.size, message.mailbox, message.place, message.received_at,
                    user.email AS user_email
                FROM misroute JOIN message ON message.id = misroute.message_id
                    LEFT JOIN user ON user.id = misroute.user_id
                WHERE \(condition) ORDER BY misroute.id \(limit.map { "LIMIT \($0)" } ?? "")
                """, arguments: arguments
        ).map(MisrouteRecord.init(row:))
    }
}

extension MisrouteRecord {
    init(row: Row) throws {
        guard let outcome = Outcome(rawValue: row["outcome"]), let reason = Reason(rawValue: row["reason"]) else {
            throw StoreError(.corrupted, "read misrouted mail", "an outcome or reason is unknown")
        }
        let resolution: Resolution? =
            switch row["resolution"] as String? {
            case "filed": .filed(emailID: row["email_id"])
            case nil: nil
            default: .rejected(note: row["note"] ?? "")
            }
        self.init(
            id: row["id"], digest: try ContentDigest(column: row["digest"]), receivedAt: row["received_at"],
            reference: SourceReference(mailbox: row["mailbox"], place: row["place"]), outcome: outcome, reason: reason,
            detail: row["detail"], sender: row["sender"], user: row["user_id"], userEmail: row["user_email"],
            subject: row["subject"], tag: row["tag"], suggestions: MisrouteRows.names(row["suggestions"]),
            isUnverified: row["is_unverified"],
            size: row["size"], attempts: row["attempts"], resolution: resolution, resolvedAt: row["resolved_at"],
            resolvedBy: row["resolved_by"])
    }
}
