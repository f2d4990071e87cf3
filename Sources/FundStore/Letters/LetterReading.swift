import FundCore

/// The letters of one user within one transaction.
struct LetterReading {
    private static let operation = "look for a letter"

    let view: LibraryView

    private var db: Database { view.db }

    // MARK: One letter

    func letter(_ id: PersonalLetter.ID) throws -> PersonalLetter {
        let summary = try summaries(where: "letter.id = ?2", [id], count: 1)
            .one(Self.operation, "there is no letter \(id)")
        let row = try db.row("SELECT body, sender_name, reply_to, link_id FROM letter WHERE id = ?", [id])
        guard let row else { throw StoreError(.notFound, Self.operation, "there is no letter \(id)") }
        let items = try db.rows(
            "SELECT kind, item_id FROM letter_item WHERE letter_id = ? ORDER BY number", [id]
        ) { Self.item($0[0], $0[1]) }
        return PersonalLetter(
            summary: summary, text: row[0], senderName: row[1], replyTo: row[2],
            attachments: try Self.attachments(of: id, db), items: items.compactMap(\.self),
            link: row[3])
    }

    /// The letter that was sent with a key; nil for none.
    func letter(withKey key: String) throws -> PersonalLetter? {
        let id: PersonalLetter.ID? = try db.value(
            "SELECT id FROM letter WHERE user_id = ? AND form_key = ?", [view.user, ASCII.lowercased(key.utf8)])
        return try id.map(letter)
    }

    /// Number of letters of which a recipient has to be looked at.
    func countTroubled() throws -> Int {
        try db.value(
            "SELECT count(*) FROM letter WHERE letter.user_id = ? AND \(Self.isTroubled)", [view.user]) ?? 0
    }

    static func attachments(of letter: PersonalLetter.ID, _ db: Database) throws -> [LetterAttachment] {
        try db.rows(
            """
            SELECT number, name, content_type, letter_attachment.size, digest, kind, item_id
            FROM letter_attachment JOIN blob ON blob.id = blob_id WHERE letter_id = ? ORDER BY number
            """, [letter]
        ) { row in
            LetterAttachment(
                number: row[0], name: row[1], contentType: row[2], size: row[3], digest: try row.digest(4),
                item: item(row[5], row[6]))
        }
    }

    private static func item(_ kind: Int?, _ number: Int64?) -> LibraryItemID? {
        guard let kind = kind.flatMap(ItemKind.init(rawValue:)), let number else { return nil }
        return LibraryItemID(kind, number)
    }

    // MARK: Lists

    /// Throws `notFound` for a fund or an item that the user does not have.
    func list(_ filter: LetterFilter, before: Int64, count: Int) throws -> [LetterSummary] {
        var (conditions, arguments): ([String], SQLArguments) = (["letter.id < ?2"], [before])
        func placeholder(_ value: any SQLValue) -> String {
            arguments += [value]
            return "?\(arguments.count + 1)"
        }
        if let fund = filter.fund {
            _ = try view.fund(fund)
            conditions.append("letter.fund_id = \(placeholder(fund))")
        }
        if let item = filter.item {
            try view.check(item)
            let kind = placeholder(item.kind.rawValue), number = placeholder(item.number)
            let sent = "letter.id IN (SELECT letter_id FROM letter_item WHERE kind = \(kind) AND item_id = \(number))"
            conditions.append(
                item.kind == .email ? "(\(sent) OR letter.answered_id = \(number))" : sent)
        }
        if filter.isTroubled {
            conditions.append(Self.isTroubled)
        }
        return try summaries(where: conditions.joined(separator: " AND "), arguments, count: count)
    }

    /// - Parameters:
    ///   - condition: `?1` is the user.
    ///   - count: the number of letters that are wanted.
    private func summaries(
        where condition: String, _ arguments: SQLArguments, count: Int
    ) throws -> [LetterSummary] {
        let letters = try view.fetch(
            """
            SELECT letter.id, subject, sent_at,
                (SELECT fund.id FROM fund WHERE fund.id = letter.fund_id AND \(LibraryView.inVisibleFund)),
                (SELECT count(*) FROM letter_attachment WHERE letter_id = letter.id),
                (SELECT email.id FROM email \(SQL.thenJoin) fund ON fund.id = email.fund_id
                    WHERE email.id = letter.answered_id AND \(LibraryView.emailScope(.live)))
            FROM letter WHERE letter.user_id = ?1 AND (\(condition)) ORDER BY letter.id DESC \(SQL.limit(count))
            """, arguments
        ) { row in
            LetterSummary(
                id: row[0], fund: row[3], subject: row[1], sentAt: row[2], recipients: [], attachmentCount: row[4],
                answered: row[5])
        }
        let recipients = try recipients(of: letters.prefix(count).map(\.id))
        return letters.prefix(count).map { letter in
            var letter = letter
            letter.recipients = recipients[letter.id] ?? []
            return letter
        }
    }

    // MARK: Recipients

    /// Condition that joins a recipient with its row of the outbox.
    static let isOfPerson = """
        outbox.kind = '\(OutboxCause.Kind.letter.rawValue)' AND outbox.cause = person.letter_id
            AND outbox.recipient = person.recipient
        """

    private static let isTroubled = """
        EXISTS (SELECT 1 FROM letter_recipient AS person LEFT JOIN outbox ON \(isOfPerson)
            WHERE person.letter_id = letter.id AND (outbox.id IS NULL OR outbox.state = 'failed'
                OR outbox.state = 'uncertain' AND person.bounce IS NOT 'delayed'
                OR outbox.state = 'sent' AND person.bounce = 'failed'))
        """

    private func recipients(
        of letters: [PersonalLetter.ID]
    ) throws -> [PersonalLetter.ID: [LetterRecipient]] {
        var found: [PersonalLetter.ID: [LetterRecipient]] = [:]
        try db.forEach(
            """
            SELECT person.letter_id, person.number, role, name, address, bounce, bounce_status, bounce_note, bounced_at,
                outbox.state, outbox.changed_at, outbox.note, outbox.may_have_arrived
            FROM letter_recipient AS person LEFT JOIN outbox ON \(Self.isOfPerson)
            WHERE person.letter_id \(SQL.isAmong("?1")) ORDER BY person.letter_id, person.number
            """, [SQL.list(letters.map(\.rawValue))]
        ) { row in
            guard let addressee = Addressee(name: row[3], address: row[4]) else { return true }
            found[row[0], default: []].append(
                LetterRecipient(
                    number: row[1], role: LetterRecipient.Role(rawValue: row[2]) ?? .to, addressee: addressee,
                    LetterProgress(
                        state: (row[9] as String?).flatMap(OutboxLetter.State.init(rawValue:)), changedAt: row[10],
                        note: row[11], mayHaveArrived: row[12] ?? true,
                        bounce: (row[5] as String?).flatMap(BounceRows.State.init(rawValue:)),
                        bounceNote: (row[7] as String?).map { BounceRows.words(row[6], $0) },
                        bouncedAt: row[8])))
            return true
        }
        return found
    }
}

/// The state of a letter to one recipient, by the outbox and by the reports that came back.
private struct LetterProgress {
    /// Nil where the row of the outbox is lost.
    var state: OutboxLetter.State?
    var changedAt: Timestamp?
    var note: String?
    var mayHaveArrived: Bool
    var bounce: BounceRows.State?
    var bounceNote: String?
    var bouncedAt: Timestamp?
}

extension LetterRecipient {
    fileprivate init(number: Int, role: Role, addressee: Addressee, _ progress: LetterProgress) {
        self.init(number: number, role: role, addressee: addressee, delivery: .uncertain)
        (changedAt, note) = (progress.changedAt, progress.note)
        isAskedFirst = progress.mayHaveArrived
        switch progress.state {
        case nil: note = "what became of it is not known any more"
        case .queued, .deferred: delivery = .waiting
        case .sending: delivery = .sending
        case .sent, .uncertain:
            if progress.state == .sent { delivery = .sent }
            guard let bounce = progress.bounce else { break }
            delivery = bounce == .failed ? .bounced : .delayed
            (changedAt, note) = (progress.bouncedAt, progress.bounceNote)
            // It is known not to have arrived.
            isAskedFirst = bounce != .failed
        case .failed: delivery = .failed
        case .dropped: delivery = .dropped
        }
        isAskedFirst = isAskedFirst && delivery.canBeSentAgain
    }
}

extension LetterSummary: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }
    var textBytes: Int {
        recipients.reduce(subject.utf8.count) { $0 + $1.addressee.text.utf8.count + ($1.note?.utf8.count ?? 0) }
    }
}
