internal import GRDB
import FundCore

/// Messages of which only the header was fetched, because they were larger than the limit at that time.
struct HeaderOnlyRows {
    let db: Database
    let now: Timestamp

    /// When this is such a message, come whole, its entry in the report is resolved. To be called
    /// before its delivery is logged.
    func settle(by stored: StoredMessage) throws {
        let reference = stored.message.reference
        guard stored.message.refusal == nil, let mailbox = reference.mailbox else { return }
        let statement = try db.cachedStatement(
            sql: """
                SELECT misroute.id FROM delivery JOIN misroute ON misroute.message_id = delivery.message_id
                WHERE delivery.is_header_only = 1 AND delivery.mailbox = ? AND delivery.place = ?
                    AND delivery.departed_at IS NULL AND delivery.announced_bytes IS ? AND misroute.resolution IS NULL
                """)
        let arguments: StatementArguments = [mailbox.cleaned, reference.place.cleaned, reference.announcedBytes]
        guard let id = try MisrouteRecord.ID.fetchOne(statement, arguments: arguments) else { return }
        if let emailID = stored.emailID {
            try MisrouteRows.markFiled(db, id, emailID: emailID, actor: "fundmail", now: now)
            try audit(id, "it came whole and was filed as email \(emailID)")
        } else if stored.misrouteID == id {
            // It has nothing but a header: from now on it can be routed like any other.
            try db.execute(
                sql: """
                    UPDATE message SET is_header_only = 0
                    WHERE id = (SELECT message_id FROM misroute WHERE id = ?)
                    """, arguments: [id])
        } else if let wholeID = stored.misrouteID {
            let note = "it came whole: see misrouted \(wholeID)"
            try MisrouteRows.markRejected(db, id, note: note, actor: "fundmail", now: now)
            try audit(id, note)
        }
    }

    private func audit(_ id: MisrouteRecord.ID, _ detail: String) throws {
        try Audit.write(
            db, actor: "fundmail", action: "misroute.supersede", subject: "misrouted \(id)", detail: detail, now: now)
    }
}
