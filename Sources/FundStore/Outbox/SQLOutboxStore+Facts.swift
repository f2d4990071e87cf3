package import FundCore

/// The facts that letters tell. Each is asked for when a letter is sent, which may be days after it was caused: no
/// letter tells of mail that was taken back, deleted or given away meanwhile, or goes to an address that another person
/// has by now.
extension SQLOutboxStore: LetterFactReading {
    package func facts(of letter: OutboxLetter) async throws -> LetterFacts {
        let operation = "read what a letter tells"
        return try await connection.reading(operation) { [connection] db in
            if case .letter(let id) = letter.cause {
                let key = try StoreError.wrapping(operation) {
                    try ServerKey.load(connection.location, owner: connection.owner)
                }
                return try WrittenLetterRows(
                    db: db, mark: BounceMark(serverKey: key), linkKey: ShareLinkKey(serverKey: key)
                )
                .facts(of: id, letter)
            }
            let reading = LetterFactRows(db: db, recipient: letter.recipient, kind: letter.cause.kind)
            return switch letter.cause {
            case .filed(let email), .filedLater(let email): try reading.filed(email)
            case .kept(let message): try reading.kept(message)
            case .news(let digest), .desk(let digest):
                try DigestFactRows(db: db, recipient: letter.recipient, now: .now)
                    .facts(digest)
            case .webhook(let delivery): try WebhookFactRows(db: db, recipient: letter.recipient).facts(delivery)
            case .letter: .gone("it is no letter about mail")
            }
        }
    }
}

/// Reads the facts for one recipient within one transaction.
private struct LetterFactRows {
    let db: Database
    let recipient: String
    let kind: OutboxCause.Kind

    func filed(_ email: EmailSummary.ID) throws -> LetterFacts {
        let row = try db.row(
            """
            SELECT email.subject, email.internet_message_id, fund.owner_id, fund.name, fund.deleted_at IS NULL,
                fund.archived_at IS NULL, \(Deletion.hasEmail)
            FROM email \(SQL.thenJoin) fund ON fund.id = email.fund_id WHERE email.id = ?
            """, [email])
        guard let row else { return .gone("the mail was taken back out of its fund, or removed") }
        guard !row[6] else { return .gone("the mail was deleted") }
        guard row[4], row[5] else { return .gone("its fund was deleted or archived") }
        let owner: User.ID = row[2]
        let (name, problem) = try person(owner)
        if let problem { return .gone(problem) }
        let fileCount: Int = try db.value("SELECT count(*) \(Self.filesSQL)", [email, owner]) ?? 0
        let files = try db.rows(
            "SELECT file.id, file.name, file.size \(Self.filesSQL) ORDER BY file.id LIMIT ?3",
            [email, owner, FiledMailFacts.maxFiles]
        ) { FiledMailFacts.File(id: $0[0], name: $0[1], size: $0[2]) }
        return .filed(
            FiledMailFacts(
                mail: AnsweredMail(subject: row[0], messageID: row[1], recipientName: name), email: email,
                fund: row[3], files: files, fileCount: fileCount))
    }

    /// The files that came with an email `?1` and that its owner `?2` still sees, wherever they lie now.
    private static let filesSQL = """
        FROM attachment \(SQL.thenJoin) file ON file.attachment_id = attachment.id
            \(SQL.thenJoin) fund ON fund.id = file.fund_id
        WHERE attachment.email_id = ?1 AND file.deleted_at IS NULL AND fund.owner_id = ?2
            AND fund.deleted_at IS NULL AND fund.archived_at IS NULL
        """

    func kept(_ message: MisrouteRecord.ID) throws -> LetterFacts {
        guard let record = try MisrouteRows.records(db, where: "misroute.id = ?1", [message]).first else {
            return .gone("the mail is not there any more")
        }
        switch record.resolution {
        case .filed: return .gone(OutboxRows.replaced)
        case .rejected: return .gone(OutboxRows.putAside)
        case nil: break
        }
        guard let user = record.user, !record.isSenderUnproven else {
            return .gone("the sender of the mail is not proved any more")
        }
        let (name, problem) = try person(user)
        if let problem { return .gone(problem) }
        let names = try db.row(
            "SELECT message_id, internet_message_id FROM misroute WHERE id = ?", [message])
        guard let names else { return .gone("the mail is not there any more") }
        let own = "FROM fund WHERE owner_id = ?1 AND deleted_at IS NULL AND archived_at IS NULL"
        let funds: [String] = try db.values(
            "SELECT name \(own) ORDER BY name, id LIMIT ?2", [user, KeptMailFacts.maxFunds])
        let fundCount: Int = try db.value("SELECT count(*) \(own)", [user]) ?? 0
        // A fund may have been renamed or given away since.
        let suggestions = try record.suggestions.filter { try db.exists("SELECT 1 \(own) AND name = ?2", [user, $0]) }
        let isTheirs = try UserRows.isSender(user, from: record.sender, db)
        return .kept(
            KeptMailFacts(
                mail: AnsweredMail(subject: record.subject, messageID: names[1], recipientName: name),
                received: names[0], reason: record.reason, tag: record.tag, suggestions: suggestions, funds: funds,
                fundCount: fundCount, isForSender: record.isForSender && isTheirs))
    }

    /// The name of a person, or why they may not be told: the address may be another's by now, and they may have chosen
    /// to hear of less.
    private func person(_ user: User.ID) throws -> (name: String?, problem: String?) {
        let row = try db.row("SELECT name, is_disabled, receipts FROM \"user\" WHERE id = ?", [user])
        guard let row, !row[1] else { return (nil, "the user is disabled") }
        guard try UserRows.isSender(user, from: recipient, db) else {
            return (nil, "the address is none of the person whose mail it is")
        }
        let choice: String? = row[2]
        if let choice = choice.flatMap(ReceiptChoice.init), !choice.includes(kind) {
            return (nil, "the person chose to get no such letters")
        }
        let name: String? = row[0]
        return (name?.isEmpty == true ? nil : name, nil)
    }
}
