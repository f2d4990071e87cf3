import FundCore

/// Rows of messages and misrouted mail that came from a backup, settled by what emails and the acts at the desk say.
struct StaleMisroutes {
    let db: Database
    let losses: [TableLoss]

    /// Gives how many misrouted messages were settled. To be called when emails are.
    func settle() throws -> Int {
        for (id, isFiled): (Int64, Bool) in try staleMessages() where losses.contain(id, of: "message") {
            try db.execute(
                isFiled
                    ? "UPDATE main.message SET outcome = 'filed', reason = NULL WHERE id = ?1"
                    : """
                    UPDATE main.message SET outcome = misroute.outcome, reason = misroute.reason FROM main.misroute
                    WHERE message.id = ?1 AND message_id = ?1
                    """, [id])
        }
        return try reopenUndone() + settleRejected() + settleFiled()
    }

    /// Messages of which it was not known that they were filed, or that this was undone.
    private func staleMessages() throws -> [(Int64, Bool)] {
        guard losses.concern("message") else { return [] }
        return try db.rows(
            """
            SELECT message.id, email.id IS NOT NULL FROM main.message
                LEFT JOIN main.email ON email.message_id = message.id
            WHERE (message.outcome = 'filed') <> (email.id IS NOT NULL)
            """
        ) { ($0[0], $0[1]) }
    }

    /// Reopens messages whose emails are gone.
    private func reopenUndone() throws -> Int {
        let undone: [MisrouteRecord.ID] = try db.values(
            """
            SELECT id FROM main.misroute WHERE email_id IS NOT NULL
                AND NOT EXISTS (SELECT 1 FROM main.email WHERE email.id = email_id)
            """
        ).filter { (id: MisrouteRecord.ID) in losses.contain(id.rawValue, of: "misroute") }
        for id in undone { try MisrouteRows.reopen(db, id) }
        return undone.count
    }

    /// Settles messages that were put aside, and those that were taken out again and wait.
    private func settleRejected() throws -> Int {
        let kind = DeskRows.StepKind.reject.rawValue
        let steps = try db.rows(
            """
            SELECT misroute_id, undone_at IS NULL, desk_act.actor, desk_act.at,
                (SELECT detail FROM main.audit WHERE action = '\(AuditAction.misrouteReject.rawValue)'
                    AND subject = 'misrouted ' || misroute_id ORDER BY audit.id DESC LIMIT 1)
            FROM main.desk_step JOIN main.desk_act ON desk_act.id = act_id
                JOIN main.misroute ON misroute.id = misroute_id
            WHERE desk_step.id IN (SELECT max(id) FROM main.desk_step WHERE kind = '\(kind)' GROUP BY misroute_id)
                AND misroute.email_id IS NULL AND (undone_at IS NULL) <> (resolution IS NOT NULL)
            """
        ).filter { losses.contain($0[0], of: "misroute") }
        for row in steps {
            let id: MisrouteRecord.ID = row[0]
            if row[1] {
                try MisrouteRows.markRejected(db, id, note: row[4] ?? "", actor: row[2], now: row[3])
            } else {
                try MisrouteRows.reopen(db, id)
            }
        }
        return steps.count
    }

    /// Settles messages that were filed, and copies of these, as `MisrouteRows.supersede` does.
    private func settleFiled() throws -> Int {
        let filed: [(MisrouteRecord.ID, EmailSummary.ID)] = try db.rows(
            """
            SELECT misroute.id, email.id FROM main.misroute JOIN main.message ON message.id = misroute.message_id
                JOIN main.email ON email.message_id = message.id OR email.fingerprint = message.fingerprint
                    AND resolution IS NULL AND (misroute.user_id IS NULL OR misroute.user_id = email.user_id
                        OR is_unverified = 1 OR misroute.reason = '\(Reason.unverifiedSender.rawValue)')
            WHERE misroute.email_id IS NULL
            """
        ) { ($0[0], $0[1]) }
        .filter { losses.contain($0.0.rawValue, of: "misroute") }
        for (id, email) in filed { try MisrouteRows.markFiled(db, id, emailID: email, actor: "fundmail", now: .now) }
        return filed.count
    }
}
