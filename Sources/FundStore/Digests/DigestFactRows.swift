import FundCore

/// Reads what a digest tells, within one transaction.
struct DigestFactRows {
    let db: Database
    /// The address that the digest goes to.
    let recipient: String
    let now: Timestamp

    func facts(_ digest: Digest.ID) throws -> LetterFacts {
        let row = try db.row(
            """
            SELECT kind, user_id, after_id, until_id, after_file_id, until_file_id, since FROM digest WHERE id = ?
            """, [digest])
        guard let row, let kind = Digest.Kind(rawValue: row[0]) else {
            return .gone("the digest is not there any more")
        }
        let (person, problem) = try person(row[1], kind)
        guard let person else { return .gone(problem) }
        switch kind {
        case .news:
            let span = NewsRows.Span(
                emails: (after: row[2], until: row[3]), files: (after: row[4], until: row[5]), since: row[6])
            let facts = try NewsRows(
                db: db, user: person.user, span: span, late: .told(by: digest), now: now
            ).facts(for: person)
            return facts.map(LetterFacts.news) ?? .gone("all that came is deleted, archived or held back")
        case .desk:
            let facts = try WaitingRows(db: db, now: now).facts(for: person, newAfter: row[2])
            return facts.map(LetterFacts.desk) ?? .gone("nothing waits at the desk any more")
        }
    }

    /// The person, or why they may not be told any more.
    private func person(_ user: User.ID, _ kind: Digest.Kind) throws -> (NotificationRecipient?, problem: String) {
        let (person, problem) = try UserRows.recipient(user, at: recipient, db)
        let row = try db.row(
            "SELECT is_administrator, news IS NOT NULL, desk_digest FROM \"user\" WHERE id = ?", [user])
        guard let person, let row else { return (nil, problem) }
        switch kind {
        case .news: guard row[1] else { return (nil, "the person chose to get no such letters") }
        case .desk:
            guard row[0] else { return (nil, "the person is no administrator any more") }
            guard row[2] else { return (nil, "the person chose to get no such letters") }
        }
        return (person, "")
    }
}
