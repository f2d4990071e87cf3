import FundCore

/// Rows of misrouted mail that could not be read and are newer than the backup. Their messages and indexes say which
/// ones there were and which of them wait; no sender is trusted by them.
struct LostMisroutes {
    let db: Database
    let losses: [TableLoss]

    /// A policy that no mail meets: an administrator decides.
    private static let trust = MisrouteRows.text(
        of: .dmarc(authservID: .named("lost.invalid"), ownReceivedFields: 1, submissionDomains: []))

    /// Gives what was made again. To be called when messages and emails are there.
    func remake() throws -> RepairNote? {
        guard losses.concern("misroute") else { return nil }
        guard let known = try index(SQL.constraintIndex(1, of: "misroute"), "message_id", where: "true") else {
            return nil
        }
        // Messages that cannot be told wait.
        let open = try index("misroute_open", "id", where: "resolution IS NULL").map { Set($0.keys) }
        let users = try index("misroute_user", "user_id", where: "user_id IS NOT NULL") ?? [:]
        let emails = try index("misroute_email", "email_id", where: "email_id IS NOT NULL") ?? [:]
        var made: [String] = []
        for (id, message) in known.sorted(by: { $0.key < $1.key }) where losses.contain(id, of: "misroute") {
            let row = try db.row("SELECT outcome, reason FROM main.message WHERE id = ?", [message])
            guard let row, try db.value("SELECT 1 FROM main.misroute WHERE id = ?", [id]) == nil as Int64? else {
                continue
            }
            let reason = (row[1] as String?).flatMap(Reason.init) ?? .unknownSender
            let isOpen = open?.contains(id) ?? true
            let email = isOpen ? nil : emails[id]
            let count = try db.execute(
                """
                INSERT INTO main.misroute (id, message_id, outcome, reason, user_id, suggestions, trust,
                    is_unverified, resolution, resolved_at, resolved_by, email_id)
                VALUES (?, ?, ?, ?, ?, '', ?, 1, ?, ?, ?, ?) ON CONFLICT DO NOTHING
                """,
                [
                    id, message, reason.outcome.rawValue, reason.rawValue, users[id], Self.trust,
                    isOpen ? nil : email == nil ? "rejected" : "filed", isOpen ? nil : Timestamp.now,
                    isOpen ? nil : "fundmail", email,
                ])
            if count > 0 { made.append("misrouted \(id)") }
        }
        guard !made.isEmpty else { return nil }
        return RepairNote(
            "\(made.count) misrouted messages are newer than the backup, and made again of their indexes, without "
                + "senders and subjects: \(made.joined(separator: ", "))")
    }

    /// Values of a column by row id, from an index; nil where it cannot be read.
    private func index(_ name: String, _ column: String, where condition: String) throws -> [Int64: Int64]? {
        try SoundDatabase.readable {
            let rows: [(Int64, Int64)] = try db.rows(
                "SELECT id, \(column) FROM \(SQL.table("old.misroute", using: name)) WHERE \(condition)"
            ) { ($0[0], $0[1]) }
            return Dictionary(rows) { first, _ in first }
        }
    }
}
