import FundCore

/// Does the opposite of one step, within one write transaction.
struct StepUndo {
    let db: Database
    let layout: StoreLayout
    let actor: String
    let now: Timestamp
    let operation: String

    struct Result {
        /// Blobs whose files are to be removed when the transaction is durable.
        var digests: [ContentDigest] = []
        /// Whose files cannot be restored, and are to be purged.
        var purged: User.ID?
    }

    func run(_ id: DeskStep.ID, forget: (Learnt.ID) throws -> Void) throws -> Result {
        let row = try db.row(
            """
            SELECT kind, misroute_id, put_off_before, learnt_id, undone_at, undone_by, act_id
            FROM desk_step WHERE id = ?
            """, [id])
        guard let row, let kind = DeskRows.StepKind(rawValue: row[0]) else {
            throw StoreError(.notFound, operation, "there is no such step")
        }
        if let at: Timestamp = row[4], let who: String = row[5] {
            throw StoreError(
                .conflict, operation, "\(who) undid it \(max(now.rawValue - at.rawValue, 0)) s ago")
        }
        let message: MisrouteRecord.ID = row[1]
        if kind != .learn { try checkLatest(id, message) }
        var result = Result()
        switch kind {
        case .file: result = try withdraw(message, id)
        case .reject: try reopenRejected(message)
        case .putOff: try putOff(message, until: row[2])
        case .learn: if let learnt: Learnt.ID = row[3] { try forget(learnt) }
        }
        try db.execute("UPDATE desk_step SET undone_at = ?, undone_by = ? WHERE id = ?", [now, actor, id])
        try db.writeAudit(
            "misroute.undo", of: "misrouted \(message)", "\(kind.rawValue) of act \(row[6] as DeskAct.ID)", by: actor,
            now: now)
        return result
    }

    /// What another administrator did about the message since stands.
    private func checkLatest(_ step: DeskStep.ID, _ message: MisrouteRecord.ID) throws {
        let later = try db.row(
            """
            SELECT desk_act.actor, desk_step.kind FROM desk_step JOIN desk_act ON desk_act.id = desk_step.act_id
            WHERE desk_step.misroute_id = ? AND desk_step.id > ? AND desk_step.undone_at IS NULL
                AND desk_step.kind <> 'learn' ORDER BY desk_step.id DESC LIMIT 1
            """, [message, step])
        guard let later else { return }
        let record = try MisrouteRows.record(db, message)
        let who: String = later[0]
        let what =
            record.resolution == nil ? "\(who) put it off since" : try MisrouteRows.whatBecame(db, of: record, now: now)
        throw StoreError(.conflict, operation, what)
    }

    private func putOff(_ id: MisrouteRecord.ID, until: Timestamp?) throws {
        let record = try MisrouteRows.record(db, id)
        guard record.resolution == nil else {
            throw StoreError(.conflict, operation, try MisrouteRows.whatBecame(db, of: record, now: now))
        }
        try db.execute("UPDATE misroute SET put_off_until = ? WHERE id = ?", [until, id])
    }

    private func withdraw(_ id: MisrouteRecord.ID, _ step: DeskStep.ID) throws -> Result {
        let record = try MisrouteRows.record(db, id)
        let row = try db.row(
            "SELECT email_id, fund_id, files, last_file_id, user_before FROM desk_step WHERE id = ?", [step])
        guard let row, let email: EmailSummary.ID = row[0], let fund: Fund.ID = row[1], let files: String = row[2],
            record.resolution == .filed(emailID: email)
        else { throw StoreError(.conflict, operation, try MisrouteRows.whatBecame(db, of: record, now: now)) }
        let userBefore: User.ID? = row[4]
        try reopen(id, filedAs: email)
        try db.execute("UPDATE misroute SET user_id = ? WHERE id = ?", [userBefore, id])
        let message = try MisrouteRows.messageID(db, id, operation)
        try db.execute(
            "UPDATE message SET outcome = ?, reason = ? WHERE id = ?",
            [record.outcome.rawValue, record.reason.rawValue, message])
        // Whom an unverified mail claims to be from need not have seen it.
        let sender = record.reason == .unverifiedSender ? nil : userBefore
        let owner: User.ID? = try db.value(
            "SELECT fund.owner_id FROM email JOIN fund ON fund.id = email.fund_id WHERE email.id = ?", [email])
        let filing = EmailWithdrawal.Filing(
            state: FiledState(fund: fund, files: files), lastFile: row[3], sender: sender)
        let digests = try EmailWithdrawal(db: db, layout: layout, now: now).run(email, of: message, filing, operation)
        return Result(digests: digests, purged: sender == owner ? nil : owner)
    }

    /// Copies that were settled because this one was filed wait again, too; but for one of which only the header came.
    private func reopen(_ id: MisrouteRecord.ID, filedAs email: EmailSummary.ID) throws {
        let settled = try db.rows(
            """
            SELECT misroute.id, message.is_header_only FROM misroute
                JOIN message ON message.id = misroute.message_id WHERE misroute.email_id = ?
            """, [email])
        for row in settled {
            let copy: MisrouteRecord.ID = row[0]
            try MisrouteRows.reopen(db, copy)
            guard copy != id else { continue }
            let note = "it came whole: see misrouted \(id)"
            if row[1] { try MisrouteRows.markRejected(db, copy, note: note, actor: "fundmail", now: now) }
            try db.writeAudit(
                "misroute.undo", of: "misrouted \(copy)", row[1] ? note : "a copy of misrouted \(id)", by: actor,
                now: now)
        }
    }

    private func reopenRejected(_ id: MisrouteRecord.ID) throws {
        let record = try MisrouteRows.record(db, id)
        guard case .rejected? = record.resolution else {
            throw StoreError(.conflict, operation, try MisrouteRows.whatBecame(db, of: record))
        }
        try MisrouteRows.reopen(db, id)
    }
}
