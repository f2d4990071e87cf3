package import FundCore

extension SQLLibraryStore {
    package func received(of user: User.ID, _ page: PageQuery) async throws -> ListPage<ReceivedMail> {
        try await viewing("list received mail", of: user) { view in
            try page.list { try ReceivedList(view: view, count: $1).entries(after: $0) }
        }
    }

    package func receivedMail(
        _ id: ReceivedMail.ID, of user: User.ID
    ) async throws -> (mail: ReceivedMail, message: MisrouteRecord.ID) {
        try await viewing("find received mail", of: user) { view in
            let mail = try view.one(ReceivedList(view: view, count: 1).kept(where: "message.id = ?2", [id]))
            let message: MisrouteRecord.ID? = try view.db.value("SELECT id FROM misroute WHERE message_id = ?", [id])
            return try (mail, view.one(message.map { [$0] } ?? []))
        }
    }

    package func keptRecords(
        of mail: [ReceivedMail.ID], of user: User.ID
    ) async throws -> [ReceivedMail.ID: MisrouteRecord] {
        try await viewing("find received mail", of: user) { view in
            let list = ReceivedList(view: view, count: mail.count)
            let own = try list.kept(
                where: "message.id \(SQL.isAmong("?2"))", [SQL.list(mail.map(\.rawValue))])
            let ids = SQL.list(own.map(\.id.rawValue))
            let messages = try view.db.rows(
                "SELECT id, message_id FROM misroute WHERE message_id \(SQL.isAmong("?1"))", [ids]
            ) { row -> (MisrouteRecord.ID, ReceivedMail.ID) in (row[0], row[1]) }
            let records = try MisrouteRows.records(
                view.db, where: "misroute.message_id \(SQL.isAmong("?1"))", [ids])
            let mailOf = Dictionary(messages) { first, _ in first }
            return Dictionary(records.compactMap { record in mailOf[record.id].map { ($0, record) } }) { first, _ in
                first
            }
        }
    }
}

extension ReceivedMail: ListedItem {
    static var cursorParts: (numbers: Int, texts: Int) { (2, 0) }
    var cursor: ListCursor { ListCursor(receivedAt.rawValue, id.rawValue) }
    var textBytes: Int { (subject ?? "").utf8.count + suggestions.reduce(0) { $0 + $1.utf8.count } }
}

/// The mail that a user sent, latest first, with what became of it: what was filed at once, and what was kept at first.
///
/// - Filed at once is what routing found to be from the user, and has no row of `misroute`. (Mail that an administrator
///   filed into a fund of theirs may be from others, and has one.) It stays in the list when its fund is given away:
///   the same mail is a duplicate then as before.
/// - Kept is theirs when routing got past the checks of the sender, or when it was filed into a fund of theirs since:
///   an `unverified_sender` names the user whom the mail claims to be from, who need not have seen it.
struct ReceivedList {
    let view: LibraryView
    let count: Int

    /// Reasons for which the sender was not verified.
    private static let unverified = [Reason.unverifiedSender, .disabledSender]
    private static let emailKeys = Keyset("email.received_at", "email.message_id", isDescending: true)
    private static let messageKeys = Keyset("message.received_at", "message.id", isDescending: true)

    func entries(after cursor: ListCursor?) throws -> [ReceivedMail] {
        let end = cursor?.numbers ?? [.max, .max]
        let entries = try filed(before: end) + givenAway(before: end) + kept(before: end)
        return Array(entries.sorted { ($0.receivedAt, $0.id) > ($1.receivedAt, $1.id) }.prefix(count))
    }

    /// Filed mail by the index of a user's emails by time. That is the order of their messages: both were made at once.
    private func filed(before end: [Int64]) throws -> [ReceivedMail] {
        try view.fetch(
            """
            SELECT email.message_id, email.received_at, email.subject, \(Self.whereabouts)
            FROM email \(SQL.thenJoin) fund ON fund.id = email.fund_id
            WHERE email.user_id = ?1 AND email.received_at <= ?2 AND \(Self.isOwn)
                AND \(Self.emailKeys.isBehind("?2, ?3"))
                AND NOT EXISTS (SELECT 1 FROM misroute WHERE misroute.message_id = email.message_id)
            ORDER BY \(Self.emailKeys.order) \(SQL.limit(count))
            """, end
        ) { row in
            var mail = ReceivedMail(id: row[0], receivedAt: row[1], subject: row[2], outcome: .filed)
            (mail.email, mail.fund, mail.fundName) = (row[3], row[4], row[5])
            return mail
        }
    }

    private func givenAway(before end: [Int64]) throws -> [ReceivedMail] {
        try view.fetch(
            """
            SELECT email.message_id, email.received_at, email.subject
            FROM departure \(SQL.thenJoin) email ON email.id = departure.item_id
            WHERE departure.owner_id = ?1 AND departure.kind = \(ItemKind.email.rawValue) AND departure.turn = 1
                AND email.user_id <> ?1 AND \(Self.emailKeys.isBehind("?2, ?3"))
                AND NOT EXISTS (SELECT 1 FROM misroute WHERE misroute.message_id = email.message_id)
            ORDER BY \(Self.emailKeys.order) \(SQL.limit(count))
            """, end
        ) { row in
            var mail = ReceivedMail(id: row[0], receivedAt: row[1], subject: row[2], outcome: .filed)
            mail.isGivenAway = true
            return mail
        }
    }

    private func kept(before end: [Int64]) throws -> [ReceivedMail] {
        try kept(where: Self.messageKeys.isBehind("?2, ?3"), end)
    }

    /// Mail that was kept at first.
    func kept(where condition: String, _ arguments: SQLArguments) throws -> [ReceivedMail] {
        let takenBack = """
            FROM desk_step WHERE misroute_id = misroute.id AND kind = '\(DeskRows.StepKind.file.rawValue)'
                AND undone_at IS NOT NULL ORDER BY id DESC LIMIT 1
            """
        return try view.fetch(
            """
            SELECT message.id, message.received_at, misroute.subject,
                CASE WHEN email.user_id = ?1 THEN \(Self.isVisible) END AS is_visible, email.id, fund.id, fund.name,
                misroute.outcome, misroute.reason, misroute.tag, misroute.suggestions, misroute.resolution,
                misroute.resolved_at, misroute.resolved_by, email.user_id <> ?1 AND EXISTS (SELECT 1 FROM departure
                    WHERE owner_id = ?1 AND kind = \(ItemKind.email.rawValue) AND item_id = email.id),
                misroute.is_unverified, (SELECT undone_at \(takenBack)), (SELECT undone_by \(takenBack)),
                misroute.sender
            FROM misroute \(SQL.thenJoin) message ON message.id = misroute.message_id
                LEFT JOIN email ON email.id = misroute.email_id LEFT JOIN fund ON fund.id = email.fund_id
            WHERE misroute.user_id = ?1 AND (misroute.reason NOT IN (\(Self.unverifiedList)) OR email.user_id = ?1)
                AND \(condition)
            ORDER BY \(Self.messageKeys.order) \(SQL.limit(count))
            """, arguments
        ) { row in
            var mail = try ReceivedMail(keptRow: row)
            if mail.isForSender { mail.isForSender = try UserRows.isSender(view.user, from: row[18], view.db) }
            return mail
        }
    }

    /// Whether the email did not come from another with their fund.
    private static let isOwn = "\(ChangeFeed.firstOwner(orElse: "?1")) = ?1"

    /// `unverified` as a list of SQL.
    static let unverifiedList = unverified.map { "'\($0.rawValue)'" }.joined(separator: ", ")

    /// Whether the user can open the email.
    private static let isVisible = LibraryView.emailScope(.live)

    /// The email and its fund, NULL unless the user can open it.
    private static let whereabouts = ["email.id", "fund.id", "fund.name"].map {
        "CASE WHEN \(isVisible) THEN \($0) END"
    }.joined(separator: ", ")
}

extension ReceivedMail {
    /// A row of `ReceivedList.kept`. Throws `corrupted` for an outcome or a reason that it does not know.
    fileprivate init(keptRow row: Row) throws {
        guard let outcome = Outcome(rawValue: row[7]), let reason = Reason(rawValue: row[8]) else {
            throw StoreError(.corrupted, "list received mail", "an outcome or reason is unknown")
        }
        let resolution: String? = row[11]
        let present: Outcome = resolution == nil ? outcome : resolution == "filed" ? .filed : .rejected
        self.init(id: row[0], receivedAt: row[1], subject: row[2], outcome: present, reason: reason)
        (tag, suggestions) = (row[9], MisrouteRows.names(row[10]))
        if row[3] as Bool? == true { (email, fund, fundName) = (row[4], row[5], row[6]) }
        isGivenAway = row[14] as Bool? ?? false
        if let at: Timestamp = row[12], let by: String = row[13] { self.resolution = Resolution(at: at, by: by) }
        guard resolution == nil else { return }
        isForSender = reason.isAboutFund && !(row[15] as Bool)
        if let at: Timestamp = row[16], let by: String = row[17] { takenBack = Resolution(at: at, by: by) }
    }
}
