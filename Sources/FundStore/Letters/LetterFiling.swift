import FundCore

/// Queues one letter within one write transaction, with all that it sends.
struct LetterFiling {
    static let operation = "send a letter"

    let view: LibraryView
    let policy: LetterPolicy
    /// Files that were made of items.
    let contents: [LibraryItemID: LetterContent]
    /// Records of their bytes, by digest.
    let records: [ContentDigest: AppendedRecord]
    /// Makes the address of a link.
    let linkKey: ShareLinkKey
    private let now = Timestamp.now

    private var db: Database { view.db }

    private static func refusal(_ kind: InputProblem.Kind, _ text: String) -> StoreError {
        StoreError(operation, InputProblem(kind, text))
    }

    /// Throws `invalid` for a letter that no store takes.
    static func check(_ letter: NewLetter, _ policy: LetterPolicy) throws {
        guard !letter.to.isEmpty else { throw refusal(.letterNoRecipient, "a letter needs a recipient") }
        guard letter.to.count + letter.cc.count <= LetterPolicy.maxRecipients else {
            throw refusal(
                .letterTooManyRecipients, "a letter goes to at most \(LetterPolicy.maxRecipients) recipients")
        }
        guard letter.subject.utf8.count <= LetterPolicy.maxSubjectBytes else {
            throw refusal(
                .letterSubjectTooLong, "the subject is too long: it may have \(LetterPolicy.maxSubjectBytes) bytes")
        }
        guard letter.text.utf8.count <= LetterPolicy.maxTextBytes else {
            throw refusal(.letterTextTooLong, "the text is too long: it may have \(LetterPolicy.maxTextBytes) bytes")
        }
        if let key = letter.key {
            guard key.utf8.count == LetterPolicy.keyDigits, key.allSatisfy(\.isHexDigit) else {
                throw StoreError(.invalid, operation, "a key has \(LetterPolicy.keyDigits) hexadecimal digits")
            }
        }
        guard letter.subject.hasVisibleScalar || letter.text.hasVisibleScalar || !letter.items.isEmpty else {
            throw refusal(.letterEmpty, "the letter is empty")
        }
    }

    /// The writer as the letter names them.
    private struct Writer {
        var email: String
        var name: String
        var address: Addressee
    }

    /// Throws for a letter that `add` would refuse: before its files are written anywhere.
    func check(_ letter: NewLetter) throws {
        _ = try writer()
        try checkRecipients(letter)
        try checkDay(letter)
        let items = try LetterItemRows(view: view).items(letter.items)
        if let answered = letter.answered { _ = try view.emailEntry(answered) }
        if let fund = letter.fund { _ = try view.fund(fund) }
        if letter.way != .link { try policy.check(attachmentBytes: size(of: items)) }
    }

    /// Bytes of the files that go along, those that were made by what they are.
    private func size(of items: [LetterItem]) -> Int64 {
        items.reduce(0) { $0 + (contents[$1.item]?.upload.size ?? $1.size) }
    }

    private func writer() throws -> Writer {
        try UserRows.checkEnabled(view.user, db, Self.operation)
        let email = try UserRows.email(of: view.user, db, Self.operation)
        let isTheirs = try db.exists(
            "SELECT 1 FROM address WHERE user_id = ? AND address = ?", [view.user, email])
        guard isTheirs, let address = Addressee(address: email) else {
            throw Self.refusal(
                .letterNoAddress, "answers could not be sent to \(email): an administrator can change the address")
        }
        let name: String? = try db.value("SELECT nullif(name, '') FROM \"user\" WHERE id = ?", [view.user])
        return Writer(email: email, name: name ?? email, address: address)
    }

    private func checkRecipients(_ letter: NewLetter) throws {
        let mailboxes: [String] = try db.values("SELECT address FROM mailbox WHERE address IS NOT NULL")
        let own = Set(mailboxes.compactMap { EmailAddress($0) } + [policy.sender].compactMap(\.self))
        for person in letter.to + letter.cc {
            guard let address = EmailAddress(person.address) else { continue }
            if own.contains(address) || own.contains(address.withoutSubaddress(separator: policy.subaddressSeparator)) {
                throw Self.refusal(.letterOwnMailbox, "\(person.address) is a mailbox of this program")
            }
        }
    }

    private func checkDay(_ letter: NewLetter) throws {
        try LetterUse(db: db, user: view.user).check(
            Self.recipients(of: letter, copyTo: nil).count, policy.perDay, now, Self.operation)
    }

    /// Writes the rows. Gives the letter's id.
    func add(_ letter: NewLetter) throws -> PersonalLetter.ID {
        let writer = try writer()
        try checkRecipients(letter)
        try checkDay(letter)
        let items = try LetterItemRows(view: view).items(letter.items)
        let answered = try letter.answered.map { try view.emailEntry($0) }
        if let fund = letter.fund { _ = try view.fund(fund) }
        let link = letter.way == .link && !items.isEmpty ? try link(to: items) : nil
        let id: PersonalLetter.ID = try db.insert(
            """
            INSERT INTO letter (user_id, fund_id, answered_id, answered_message_id, sender_name, reply_to, subject,
                body, mark, form_key, link_id, sent_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                view.user, letter.fund ?? answered?.summary.fund ?? items.first?.fund, letter.answered,
                answered?.internetMessageID, writer.name, writer.address.address, letter.subject.label, letter.text,
                OutboxRows.newMark(), letter.key.map { ASCII.lowercased($0.utf8) }, link, now,
            ])
        for (index, item) in items.enumerated() {
            try db.execute(
                "INSERT INTO letter_item (letter_id, number, kind, item_id) VALUES (?, ?, ?, ?)",
                [id, index + 1] + item.item.arguments)
        }
        if letter.way != .link { try attach(items, to: id) }
        let recipients = Self.recipients(of: letter, copyTo: letter.sendsCopy ? writer.address : nil)
        for (index, (role, person)) in recipients.enumerated() {
            try add(person, role, number: index + 1, to: id)
        }
        try LetterUse(db: db, user: view.user).note(recipients.count, key: letter.key, now)
        let names = recipients.map(\.person.address).joined(separator: " ")
        try db.writeAudit(
            .letterSend, of: "letter \(id)", "to \(names); \(items.count) items", by: writer.email, now: now)
        return id
    }

    /// Each address once, in the first role that it has.
    private static func recipients(
        of letter: NewLetter, copyTo writer: Addressee?
    ) -> [(role: LetterRecipient.Role, person: Addressee)] {
        let all =
            letter.to.map { (role: LetterRecipient.Role.to, person: $0) } + letter.cc.map { (role: .cc, person: $0) }
            + [writer].compactMap { $0.map { (role: .copy, person: $0) } }
        var keys: Set<String> = []
        return all.filter { keys.insert($0.person.key).inserted }
    }

    private func add(
        _ person: Addressee, _ role: LetterRecipient.Role, number: Int, to letter: PersonalLetter.ID
    ) throws {
        try db.execute(
            """
            INSERT INTO letter_recipient (letter_id, number, role, name, address, recipient) VALUES (?, ?, ?, ?, ?, ?)
            """, [letter, number, role.rawValue, person.name, person.address, person.key])
        _ = try OutboxRows(db: db, now: now).add(.letter(letter), to: person.key)
        // So that the address is offered the next time.
        if role != .copy, let address = EmailAddress(person.address) {
            try KnownAddressRows(db: db).noteUse(address, name: person.name, by: view.user, at: now)
        }
    }

    /// Makes the link by which items go that are too large, or are not to be attached.
    private func link(to items: [LetterItem]) throws -> ShareLink.ID {
        guard policy.allowsLinks else {
            throw Self.refusal(
                .letterNoLinks, "these files are too large, and no link can be sent: server.public_url is not set")
        }
        var seen: Set<LibraryItemID> = []
        var link = NewShareLink(
            items: items.map(\.item).filter { seen.insert($0).inserted }, purpose: .download,
            expiresAt: now + .seconds(NewShareLink.usualDays * 86_400), secret: linkKey.makeSecret())
        link.showsOwner = true
        return try ShareLinkRows(db: db, now: now).add(link, of: view.user).id
    }

    private func attach(_ items: [LetterItem], to letter: PersonalLetter.ID) throws {
        try policy.check(attachmentBytes: size(of: items))
        for (index, item) in items.enumerated() {
            var (name, contentType, bytes) = (item.name, item.contentType, item.size)
            let blob: BlobRows.ID
            if let content = contents[item.item] {
                let upload = content.upload
                (name, contentType, bytes) = (content.name, upload.contentType, upload.size)
                blob = try BlobRows(db: db).id(
                    of: upload.digest, size: upload.size, records[upload.digest], replacing: .anything)
            } else {
                guard let digest = item.digest,
                    let known: BlobRows.ID = try db.value("SELECT id FROM blob WHERE digest = ?", [digest])
                else { throw StoreError(.stale, Self.operation, "\(item.name) was changed meanwhile") }
                blob = known
            }
            try db.execute(
                """
                INSERT INTO letter_attachment (letter_id, number, name, content_type, size, blob_id, kind, item_id)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """, [letter, index + 1, name, contentType, bytes, blob] + item.item.arguments)
            for source in Set(contents[item.item]?.sources ?? []) {
                try db.execute(
                    "INSERT INTO letter_source (letter_id, number, digest) VALUES (?, ?, ?)",
                    [letter, index + 1, source])
            }
        }
    }
}
