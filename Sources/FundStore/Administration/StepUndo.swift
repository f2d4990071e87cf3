import FundCore

/// Does the opposite of one step, within one write transaction.
struct StepUndo {
    let db: Database
    let actor: String
    let now: Timestamp
    let operation: String

    func run(_ id: DeskStep.ID, forget: (LearntRule.ID) throws -> Void) throws -> User.ID? {
        let row = try db.row(
            """
            SELECT desk_step.kind, misroute_id, put_off_before, learnt_id, undone_at, undone_by, act_id,
                desk_step.fund_id, user_id, name, at
            FROM desk_step JOIN desk_act ON desk_act.id = act_id WHERE desk_step.id = ?
            """, [id])
        guard let row, let kind = DeskRows.StepKind(rawValue: row[0]) else {
            throw StoreError(.notFound, operation, "there is no such step")
        }
        if let at: Timestamp = row[4], let who: String = row[5] {
            throw StoreError(.conflict, operation, "\(who) undid it \(MisrouteRows.age(of: at, now))")
        }
        let message: MisrouteRecord.ID = row[1]
        let record = try MisrouteRows.record(db, message)
        if kind.about == .message { try checkLatest(id, record) }
        var stranger: User.ID?
        switch kind {
        case .file: stranger = try withdraw(record, id)
        case .reject: try reopenRejected(record)
        case .putOff: try putOff(record, until: row[2])
        case .learn: if let learnt: LearntRule.ID = row[3] { try forget(learnt) }
        case .create:
            if let fund: Fund.ID = row[7], let owner: User.ID = row[8] { try remove(fund, named: row[9], of: owner) }
        case .enable: if let user: User.ID = row[8] { try disable(user, enabledAt: row[10]) }
        // The rules say what it waits for, once the rest is undone.
        case .reroute: break
        }
        try db.execute("UPDATE desk_step SET undone_at = ?, undone_by = ? WHERE id = ?", [now, actor, id])
        try db.writeAudit(
            .misrouteUndo, of: "misrouted \(message)", "\(kind.rawValue) of act \(row[6] as DeskAct.ID)", by: actor,
            now: now)
        return stranger
    }

    /// A fund that was made goes to the trash, unless something is in it or it was gone on with.
    private func remove(_ fund: Fund.ID, named name: String?, of owner: User.ID) throws {
        let row = try db.row(
            """
            SELECT name, deleted_at IS NOT NULL OR owner_id <> ?2 OR name IS DISTINCT FROM ?3 OR archived_at IS NOT NULL
                OR EXISTS (SELECT 1 FROM fund_alias WHERE fund_id = fund.id)
                OR EXISTS (SELECT 1 FROM file WHERE fund_id = fund.id AND deleted_at IS NULL)
                OR EXISTS (SELECT 1 FROM folder WHERE fund_id = fund.id AND deleted_at IS NULL)
                OR EXISTS (SELECT 1 FROM note WHERE fund_id = fund.id AND deleted_at IS NULL)
                OR EXISTS (SELECT 1 FROM email WHERE fund_id = fund.id AND NOT \(Deletion.hasEmail))
            FROM fund WHERE id = ?1
            """, [fund, owner, name])
        guard let row else { return }
        guard !row[1] else {
            throw StoreError(
                .conflict, operation, "the fund “\(row[0] as String)” was gone on with, and stays as it is")
        }
        try LibraryChange(db: db, user: owner, limits: .none, now: now, actor: actor).delete(.fund(fund))
    }

    /// Disables a user who was enabled, unless they came in since, or another act was about that.
    private func disable(_ user: User.ID, enabledAt: Timestamp) throws {
        let email = try UserRows.email(of: user, db, operation)
        let (enable, disable) = (AuditAction.userEnable.rawValue, AuditAction.userDisable.rawValue)
        let wentOn = try db.exists(
            """
            SELECT 1 FROM token WHERE user_id = ?1 AND created_at >= ?2
            UNION ALL SELECT 1 FROM audit WHERE action IN ('\(enable)', '\(disable)') AND subject = ?3
                AND id > (SELECT min(id) FROM audit WHERE action = '\(enable)' AND subject = ?3 AND at >= ?2)
            """, [user, enabledAt, email])
        guard !wentOn else {
            throw StoreError(.conflict, operation, "\(email) was enabled or came in since, and stays as they are")
        }
        _ = try UserRows(db: db, actor: actor).setDisabled(true, user)
    }

    /// Throws `conflict` where another administrator did something about the message since: that stands.
    private func checkLatest(_ step: DeskStep.ID, _ record: MisrouteRecord) throws {
        let later = try db.row(
            """
            SELECT desk_act.actor FROM desk_step JOIN desk_act ON desk_act.id = desk_step.act_id
            WHERE desk_step.misroute_id = ? AND desk_step.id > ? AND desk_step.undone_at IS NULL
                AND \(DeskRows.isAboutMessage) ORDER BY desk_step.id DESC LIMIT 1
            """, [record.id, step])
        guard let later else { return }
        guard record.resolution == nil else { throw try conflict(with: record) }
        throw StoreError(.conflict, operation, "\(later[0] as String) put it off since")
    }

    private func conflict(with record: MisrouteRecord) throws -> StoreError {
        StoreError(.conflict, operation, try MisrouteRows.whatBecame(db, of: record, now: now))
    }

    private func putOff(_ record: MisrouteRecord, until: Timestamp?) throws {
        guard record.resolution == nil else { throw try conflict(with: record) }
        try db.execute("UPDATE misroute SET put_off_until = ? WHERE id = ?", [until, record.id])
    }

    private func withdraw(_ record: MisrouteRecord, _ step: DeskStep.ID) throws -> User.ID? {
        let id = record.id
        let row = try db.row(
            "SELECT email_id, fund_id, files, last_file_id, user_before FROM desk_step WHERE id = ?", [step])
        guard let row, let email: EmailSummary.ID = row[0], let fund: Fund.ID = row[1], let files: String = row[2],
            record.resolution == .filed(emailID: email)
        else { throw try conflict(with: record) }
        let userBefore: User.ID? = row[4]
        try reopen(id, filedAs: email)
        try db.execute("UPDATE misroute SET user_id = ? WHERE id = ?", [userBefore, id])
        let message = try MisrouteRows.messageID(db, id, operation)
        try db.execute(
            "UPDATE message SET outcome = ?, reason = ? WHERE id = ?",
            [record.outcome.rawValue, record.reason.rawValue, message])
        // Whom an unverified mail claims to be from need not have seen it.
        let sender = record.isSenderUnproven ? nil : userBefore
        let filing = EmailWithdrawal.Filing(
            state: FiledState(fund: fund, files: files), lastFile: row[3], sender: sender)
        let stranger = try EmailWithdrawal(db: db, now: now).run(email, of: message, filing, operation)
        try OutboxRows(db: db, now: now).undoFiling(of: id, as: email)
        try settleCopies(of: message)
        return stranger
    }

    /// Resolves the entries of a message and its copies where another copy was filed for its person meanwhile, as if
    /// they had waited all the time.
    private func settleCopies(of message: MessageRows.ID) throws {
        let row = try db.row(
            """
            SELECT email.id, email.fingerprint FROM message JOIN email ON email.fingerprint = message.fingerprint
            WHERE message.id = ?
            """, [message])
        guard let row else { return }
        try MisrouteRows.supersede(db, copiesUnder: row.digest(1), by: row[0], now: now)
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
                .misrouteUndo, of: "misrouted \(copy)", row[1] ? note : "a copy of misrouted \(id)", by: actor,
                now: now)
        }
    }

    private func reopenRejected(_ record: MisrouteRecord) throws {
        guard record.resolution?.isRejection == true else { throw try conflict(with: record) }
        try MisrouteRows.reopen(db, record.id)
        try OutboxRows(db: db, now: now).undoPuttingAside(record.id)
    }
}
