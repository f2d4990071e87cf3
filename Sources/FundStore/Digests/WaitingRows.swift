import FundCore

/// The kept messages that wait at the desk, without those that were put off.
struct WaitingRows {
    let db: Database
    let now: Timestamp

    private static let waits = "misroute.resolution IS NULL AND (put_off_until IS NULL OR put_off_until <= ?1)"

    func isEmpty() throws -> Bool { try !db.exists("SELECT 1 FROM misroute WHERE \(Self.waits)", [now]) }

    /// Nil when nothing waits.
    ///
    /// - Parameter after: the id of the last message that is not new.
    func facts(for recipient: NotificationRecipient, newAfter after: Int64) throws -> DeskFacts? {
        let counts = try db.row(
            """
            SELECT count(*), coalesce(sum(CASE WHEN misroute.id > ?2 THEN 1 ELSE 0 END), 0) FROM misroute
            WHERE \(Self.waits)
            """, [now, after])
        guard let counts, counts[0] as Int > 0 else { return nil }
        let causes = try db.rows(
            "SELECT reason, count(*) FROM misroute WHERE \(Self.waits) GROUP BY reason ORDER BY count(*) DESC, reason",
            [now]
        ) { row in Reason(rawValue: row[0]).map { DeskFacts.Cause($0, row[1]) } }
        let isNew = "\(Self.waits) AND misroute.id > ?2 AND misroute.user_id IS NOT NULL AND misroute.is_unverified = 0"
        let new = try MisrouteRows.records(db, where: isNew, [now, after], limit: DeskFacts.maxMessages)
        let messages = new.filter { !$0.isSenderUnproven }.compactMap { record in
            record.userEmail.map { DeskFacts.Message(id: record.id, sender: $0, subject: record.subject) }
        }
        return DeskFacts(
            recipient: recipient, count: counts[0], newCount: counts[1], causes: causes.compactMap(\.self),
            messages: messages)
    }
}
