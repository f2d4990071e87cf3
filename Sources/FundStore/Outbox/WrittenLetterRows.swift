import FundCore

/// Reads the facts for a letter that a person wrote, within one transaction.
struct WrittenLetterRows {
    let db: Database
    let mark: BounceMark
    let linkKey: ShareLinkKey

    /// The facts for one recipient. Nothing is left to tell when its writer removed the letter, or is disabled.
    func facts(of id: PersonalLetter.ID, _ letter: OutboxLetter) throws -> LetterFacts {
        let row = try db.row(
            """
            SELECT sender_name, reply_to, subject, body, sent_at, letter.mark, answered_message_id,
                "user".is_disabled, link_id
            FROM letter JOIN "user" ON "user".id = user_id WHERE letter.id = ?
            """, [id])
        guard let row else { return .gone("its writer removed it") }
        let isDisabled: Bool = row[7]
        guard !isDisabled else { return .gone("the person who wrote it is disabled") }
        let rows: [(role: String, recipient: String, person: Addressee?)] = try db.rows(
            "SELECT role, recipient, name, address FROM letter_recipient WHERE letter_id = ? ORDER BY number", [id]
        ) { ($0[0], $0[1], Addressee(name: $0[2], address: $0[3])) }
        guard let recipient = rows.first(where: { $0.recipient == letter.recipient })?.person else {
            return .gone("it does not go to this recipient any more")
        }
        func people(in role: LetterRecipient.Role) -> [Addressee] {
            rows.filter { $0.role == role.rawValue }.compactMap(\.person)
        }
        var link: WrittenLetterFacts.Link?
        if let id: ShareLink.ID = row[8] {
            guard let found = try ShareLinkRows.links(db, where: "id = ?", [id]).first, found.revokedAt == nil,
                found.expiresAt > .now
            else { return .gone("the link in it has ended") }
            let view = LibraryView(db: db, user: found.owner)
            guard let fund = found.fund,
                found.items.contains(where: { (try? view.sharedFund(of: $0)) == fund })
            else {
                return .gone("what the link in it shows is gone")
            }
            link = WrittenLetterFacts.Link(
                path: ShareLinkKey.root + linkKey.token(of: found.seed), expiresAt: found.expiresAt)
        }
        return .letter(
            WrittenLetterFacts(
                id: id, senderName: row[0], replyTo: row[1], to: people(in: .to), cc: people(in: .cc),
                recipient: recipient, subject: row[2], text: row[3], sentAt: row[4], mark: row[5], answered: row[6],
                attachments: try LetterReading.attachments(of: id, db), link: link,
                bounceMark: mark.text(of: OutboxAttempt(letter: letter.id, number: letter.attempts))))
    }
}
