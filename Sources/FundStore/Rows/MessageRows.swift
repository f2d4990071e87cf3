import FundCore

/// Rows of raw messages, whatever became of them.
enum MessageRows {
    typealias ID = FundCore.ID<MessageRows>

    /// Notes that a raw message is not kept any more.
    static func drop(_ id: ID, at time: Timestamp, _ db: Database) throws {
        try db.execute(
            """
            UPDATE message SET raw_dropped_at = ?, segment = NULL, record_offset = NULL, record_bytes = NULL
            WHERE id = ?
            """, [time, id])
    }

    /// A raw message of the store.
    struct Copy {
        var id: ID
        var digest: ContentDigest
        /// Nil when it was dropped.
        var location: RecordLocation?
    }

    /// The message that holds these bytes, or else the one that came another way, was filed, and stands in for this
    /// one; nil when there is none.
    static func firstCopy(of message: RoutedMessage, _ db: Database) throws -> Copy? {
        var found: ID? = try db.value("SELECT id FROM message WHERE digest = ?", [message.spooled.digest])
        if found == nil, let copy = try filedCopy(of: message, db), !copy.isElsewhere { found = copy.message }
        // Mostly there is none, and a row costs more than to ask whether there is one.
        return try found.flatMap { id in
            try db.row("SELECT digest, \(RecordLocation.columns) FROM message WHERE id = ?", [id]).map {
                Copy(id: id, digest: try $0.digest(0), location: RecordLocation($0, at: 1))
            }
        }
    }

    /// A message that came another way and was filed.
    struct FiledCopy {
        var message: ID
        var email: EmailSummary.ID
        /// An administrator filed it by hand for another owner: it does not stand in for what is filed now.
        var isElsewhere: Bool
    }

    /// The copy of a message that was filed: one that stands in for it where there is one.
    static func filedCopy(of message: RoutedMessage, _ db: Database) throws -> FiledCopy? {
        let decision = message.decision
        // The person behind a sender whom nothing proves is not known.
        let isDoubted = decision.isUnverified || decision.reason == .unverifiedSender
        let owner = isDoubted ? nil : decision.user?.id
        var elsewhere: FiledCopy?
        for fingerprint in message.spooled.fingerprints {
            guard let id: ID = try db.value("SELECT message_id FROM email WHERE fingerprint = ?", [fingerprint]),
                let row = try db.row(filedSQL, [id, owner])
            else { continue }
            let copy = FiledCopy(message: id, email: row[0], isElsewhere: row[1])
            guard copy.isElsewhere else { return copy }
            elsewhere = elsewhere ?? copy
        }
        return elsewhere
    }

    private static let filedSQL = """
        SELECT email.id, coalesce(email.user_id <> ?2, false) AND EXISTS (
            SELECT 1 FROM misroute JOIN desk_step ON desk_step.misroute_id = misroute.id
                JOIN desk_act ON desk_act.id = desk_step.act_id
            WHERE misroute.message_id = email.message_id AND desk_step.email_id = email.id
                AND desk_act.kind = '\(DeskAct.Kind.assign.rawValue)')
        FROM email WHERE email.message_id = ?1
        """

    /// Lets another email have the fingerprint of one that was filed by hand elsewhere, so that copies are found with
    /// that one from now on.
    static func giveUpFingerprint(of email: EmailSummary.ID, like message: SpooledMessage, _ db: Database) throws {
        try db.execute(
            "UPDATE email SET fingerprint = ? WHERE id = ? AND fingerprint = ?",
            [givenUp(message.fingerprint, of: email), email, message.fingerprint])
    }

    /// A mark that an email has instead of its fingerprint, which is another's now. Its message keeps the fingerprint.
    static func givenUp(_ fingerprint: ContentDigest, of email: EmailSummary.ID) -> ContentDigest {
        .of(fingerprint.bytes + Array("email \(email)".utf8))
    }

    /// The message that came another way and was kept for the same reason. One that was kept for another, as because no
    /// trust check confirmed its sender, must not stand in for this one.
    static func keptCopy(of message: SpooledMessage, reason: Reason?, _ db: Database) throws -> ID? {
        for fingerprint in message.fingerprints {
            let found: ID? = try db.value(
                """
                SELECT id FROM message WHERE fingerprint = ?1 AND outcome <> 'filed' AND reason IS NOT DISTINCT FROM ?2
                ORDER BY id LIMIT 1
                """, [fingerprint, reason?.rawValue])
            if let found { return found }
        }
        return nil
    }
}
