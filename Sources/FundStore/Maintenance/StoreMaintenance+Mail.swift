import FundCore

extension StoreMaintenance {
    /// Takes the raw messages of such mail apart again, and gives its rows what they say.
    func readMailAgain(parser: any MessageParser, limits: ParseLimits) async throws -> [VerifyFinding] {
        let unread = try await connection.queues.shared.run { [self] in
            try connection.readAroundDamage("look for mail without text") { db in
                try Database.readable(or: []) { try Self.unreadMail(db) }
            }
        }
        guard !unread.isEmpty else { return [] }
        var (read, dropped): ([EmailSummary.ID], [EmailSummary.ID]) = ([], [])
        for (email, raw) in unread {
            guard let raw else {
                try await connection.writing("settle mail", .reserve) { db in
                    try db.execute("UPDATE email SET defects = '' WHERE id = ?", [email])
                }
                dropped.append(email)
                continue
            }
            let result: ParseResult
            do {
                let message = try raw.spool(from: log)
                result = try await parser.withWorker { try $0.parse(message, limits: limits) }
            } catch let error as StoreError where [.corrupted, .notFound].contains(error.code) {
                continue  // it is found damaged, or was dropped meanwhile
            }
            try await connection.writing("write the text of mail", .reserve) { try Self.complete(email, result, $0) }
            read.append(email)
        }
        return [
            finding(.rederived, "have the subjects and texts of their raw messages again", read),
            finding(.unrepairable, "have no subjects and texts, and their raw messages were dropped", dropped),
        ].compactMap { $0 }
    }

    private func finding(_ action: VerifyFinding.Action, _ text: String, _ emails: [EmailSummary.ID]) -> VerifyFinding?
    {
        guard !emails.isEmpty else { return nil }
        let list = emails.map(\.description).joined(separator: ", ")
        return VerifyFinding(rows: .library, action, "\(emails.count) emails \(text): \(list)")
    }

    private static func unreadMail(_ db: Database) throws -> [(EmailSummary.ID, KeptBytes?)] {
        try db.rows(
            """
            SELECT email.id, raw_dropped_at IS NULL, digest, size
            FROM email JOIN message ON message.id = message_id WHERE \(UnreadMail.condition) ORDER BY email.id
            """
        ) { row in (row[0], row[1] ? KeptBytes(digest: try row.digest(2), size: row[3]) : nil) }
    }

    private static func complete(_ email: EmailSummary.ID, _ result: ParseResult, _ db: Database) throws {
        var (header, text, html): (MessageHeader?, String?, String?)
        switch result {
        case .message(let parsed): (header, text, html) = (parsed.header, parsed.text, parsed.html)
        case .refused(_, _, let known, _): header = known
        }
        let count = try db.execute(
            """
            UPDATE email SET subject = ?, sent_at = ?, internet_message_id = ?, defects = ?, text = ?, html = ?
            WHERE id = ? AND \(UnreadMail.condition)
            """,
            [
                header?.subject, header?.date, header?.messageID,
                result.defects.map(\.rawValue).joined(separator: " "), text, html, email,
            ])
        guard count > 0 else { return }
        // Search and clients take it in as it is now.
        if let fund: Fund.ID = try db.value("SELECT fund_id FROM email WHERE id = ?", [email]) {
            try ChangeFeed.note(db, .email(email), in: fund)
        }
    }
}
