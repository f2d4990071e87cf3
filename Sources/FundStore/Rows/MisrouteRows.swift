import FundCore

/// The rows of messages that could not be filed.
enum MisrouteRows {
    static func insert(_ db: Database, _ message: RoutedMessage, messageID: MessageRows.ID) throws -> MisrouteRecord.ID
    {
        let decision = message.decision
        var (detail, header): (String?, MessageHeader?)
        switch message.parsed {
        case .message(let parsed): header = parsed.header
        case .refused(_, let text, let found, _): (detail, header) = (text, found)
        }
        let from = header?.from.first
        let sender = from?.addresses.first?.address ?? from?.text
        guard let reason = decision.reason else {
            throw StoreError(.invalid, "keep a message", "an outcome that is not `filed` needs a reason")
        }
        return try db.insert(
            """
            INSERT INTO misroute (message_id, outcome, reason, detail, sender, user_id, subject, tag, suggestions,
                trust, is_unverified, cause, relay, author, file_count, internet_message_id)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                messageID, decision.outcome.rawValue, reason.rawValue, detail, sender, decision.user?.id,
                header?.subject, decision.tag, list(decision.suggestions), text(of: message.policy.trust),
                decision.isUnverified, cause(reason, decision, sender: sender), decision.relay?.kind.rawValue,
                decision.relay?.author, message.parsed.fileCount, header?.messageID,
            ])
    }

    /// Lets a message wait again, with its age.
    static func reopen(_ db: Database, _ id: MisrouteRecord.ID) throws {
        try db.execute(
            """
            UPDATE misroute SET resolution = NULL, email_id = NULL, note = NULL, resolved_at = NULL, resolved_by = NULL
            WHERE id = ?
            """, [id])
    }

    static func markFiled(
        _ db: Database, _ id: MisrouteRecord.ID, emailID: EmailSummary.ID, actor: String, now: Timestamp
    ) throws {
        try db.execute(
            """
            UPDATE misroute SET resolution = 'filed', email_id = ?, resolved_at = ?, resolved_by = ? WHERE id = ?
            """, [emailID, now, actor, id])
    }

    static func markRejected(_ db: Database, _ id: MisrouteRecord.ID, note: String, actor: String, now: Timestamp)
        throws
    {
        try db.execute(
            "UPDATE misroute SET resolution = 'rejected', note = ?, resolved_at = ?, resolved_by = ? WHERE id = ?",
            [note, now, actor, id])
    }

    /// Resolves the open entries of all copies of a message, which were kept for want of a fund.
    ///
    /// - Parameter owner: for whom an administrator filed it. A copy whose sender is proven to be another person waits
    ///   for a fund of theirs. Nil when the rules filed it.
    static func supersede(
        _ db: Database, copiesOf message: SpooledMessage, by emailID: EmailSummary.ID, byHandFor owner: User.ID? = nil,
        now: Timestamp
    ) throws {
        for fingerprint in message.fingerprints {
            try supersede(db, copiesUnder: fingerprint, by: emailID, byHandFor: owner, now: now)
        }
    }

    /// `supersede` of the copies that have this fingerprint.
    static func supersede(
        _ db: Database, copiesUnder fingerprint: ContentDigest, by emailID: EmailSummary.ID,
        byHandFor owner: User.ID? = nil, now: Timestamp
    ) throws {
        let copies = "message WHERE fingerprint = ?1 AND outcome <> 'filed'"
        // Mostly there is none.
        guard try db.exists("SELECT 1 FROM \(copies)", [fingerprint]) else { return }
        let open: [MisrouteRecord.ID] = try db.values(
            """
            SELECT id FROM misroute WHERE resolution IS NULL AND message_id IN (SELECT id FROM \(copies))
                AND (?2 IS NULL OR user_id IS NULL OR user_id = ?2 OR is_unverified = 1
                    OR reason = '\(Reason.unverifiedSender.rawValue)')
            """, [fingerprint, owner])
        for id in open {
            try markFiled(db, id, emailID: emailID, actor: "fundmail", now: now)
            try noteSuperseded(db, id, "another copy of the message was filed as email \(emailID)", now: now)
        }
    }

    static func noteSuperseded(_ db: Database, _ id: MisrouteRecord.ID, _ detail: String, now: Timestamp) throws {
        try db.writeAudit(.misrouteSupersede, of: "misrouted \(id)", detail, by: "fundmail", now: now)
    }

    static func cause(_ reason: Reason, _ decision: RoutingDecision, sender: String?) -> String {
        MisrouteCause(
            reason: reason, sender: sender, tag: decision.tag, isUnverified: decision.isUnverified,
            relay: decision.relay
        ).key
    }

    /// Fund names hold no line ends.
    static func list(_ names: [String]) -> String { names.joined(separator: "\n") }

    static func names(_ list: String) -> [String] { list.split(separator: "\n").map(String.init) }

    static func text(of trust: TrustPolicy) -> String {
        guard case .dmarc(let id, let count, let domains) = trust else { return "vouched" }
        let method = domains.isEmpty ? "dmarc" : submissionMark + domains.joined(separator: ",")
        return switch id {
        case .topmostWithoutID: "\(method) \(count) topmost"
        case .named(let name): "\(method) \(count) named \(name)"
        }
    }

    private static let submissionMark = "dmarc+auth:"

    /// Throws `corrupted` for a text that it does not know: a sender must never be trusted by mistake.
    static func trust(of text: String) throws -> TrustPolicy {
        if text == "vouched" { return .vouched }
        let words = text.split(separator: " ", maxSplits: 3).map(String.init)
        if words.count >= 3, words[0] == "dmarc" || words[0].hasPrefix(submissionMark), let count = Int(words[1]) {
            let domains = words[0] == "dmarc" ? [] : words[0].dropFirst(submissionMark.count).split(separator: ",")
            func policy(_ id: TrustPolicy.AuthservID) -> TrustPolicy {
                .dmarc(authservID: id, ownReceivedFields: count, submissionDomains: domains.map(String.init))
            }
            if words[2] == "topmost" { return policy(.topmostWithoutID) }
            if words.count == 4 { return policy(.named(words[3])) }
        }
        throw StoreError(.corrupted, "read misrouted mail", "its trust policy reads `\(text)`")
    }

    static func refuseIfFiled(_ db: Database, _ record: MisrouteRecord, _ operation: String) throws {
        guard case .filed? = record.resolution else { return }
        try refuseUnlessWaiting(db, record, operation)
    }

    static func refuseUnlessWaiting(_ db: Database, _ record: MisrouteRecord, _ operation: String) throws {
        guard record.resolution != nil else { return }
        throw StoreError(.alreadyResolved, operation, try whatBecame(db, of: record))
    }

    /// `8 s ago`.
    static func age(of time: Timestamp, _ now: Timestamp) -> String {
        "\(max(now.rawValue - time.rawValue, 0)) s ago"
    }

    /// `bo@example.com filed it into [Fund1] of ann@example.com 8 s ago`.
    static func whatBecame(_ db: Database, of record: MisrouteRecord, now: Timestamp = .now) throws -> String {
        let who = record.resolvedBy ?? "somebody"
        let age = record.resolvedAt.map { " " + Self.age(of: $0, now) } ?? ""
        switch record.resolution {
        case .filed(let emailID):
            let fund = try db.row(
                """
                SELECT fund.name, "user".email FROM email JOIN fund ON fund.id = email.fund_id
                    JOIN "user" ON "user".id = fund.owner_id WHERE email.id = ?
                """, [emailID])
            let place = fund.map { " into [\($0[0] as String)] of \($0[1] as String)" } ?? ""
            return "\(who) filed it\(place)\(age), as email \(emailID)"
        case .rejected: return "\(who) put it aside\(age)"
        case nil: return "it waits"
        }
    }

    static func messageID(_ db: Database, _ id: MisrouteRecord.ID, _ operation: String) throws -> MessageRows.ID {
        guard let id: MessageRows.ID = try db.value("SELECT message_id FROM misroute WHERE id = ?", [id]) else {
            throw StoreError(.notFound, operation, "there is no such entry")
        }
        return id
    }

    static func record(_ db: Database, _ id: MisrouteRecord.ID) throws -> MisrouteRecord {
        try records(db, where: "misroute.id = ?1", [id]).one("find misrouted \(id)", "there is no such entry")
    }

    static func records(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int = .max
    ) throws -> [MisrouteRecord] {
        try db.rows(
            """
            SELECT message.digest, message.size, message.mailbox, message.place, message.received_at,
                "user".email AS user_email, misroute.*
            FROM misroute JOIN message ON message.id = misroute.message_id
                LEFT JOIN "user" ON "user".id = misroute.user_id
            WHERE \(condition) ORDER BY misroute.id LIMIT ?\(arguments.count + 1)
            """, arguments + [limit]
        ).map(MisrouteRecord.init(row:))
    }
}

extension MisrouteRecord {
    init(row: Row) throws {
        guard let outcome = Outcome(rawValue: row["outcome"]), let reason = Reason(rawValue: row["reason"]) else {
            throw StoreError(.corrupted, "read misrouted mail", "an outcome or reason is unknown")
        }
        let resolution: Resolution? =
            switch row["resolution"] as String? {
            case "filed": .filed(emailID: row["email_id"])
            case nil: nil
            default: .rejected(note: row["note"] ?? "")
            }
        self.init(
            id: row["id"], digest: try row.digest("digest"), receivedAt: row["received_at"],
            reference: SourceReference(mailbox: row["mailbox"], place: row["place"]), outcome: outcome, reason: reason,
            detail: row["detail"], sender: row["sender"], user: row["user_id"], userEmail: row["user_email"],
            subject: row["subject"], tag: row["tag"], suggestions: MisrouteRows.names(row["suggestions"]),
            isUnverified: row["is_unverified"], size: row["size"], attempts: row["attempts"],
            putOffUntil: row["put_off_until"], resolution: resolution,
            resolvedAt: row["resolved_at"], resolvedBy: row["resolved_by"])
        fileCount = row["file_count"]
        if let kind = (row["relay"] as String?).flatMap(RelayedMail.Kind.init) {
            relay = RelayedMail(kind: kind, author: row["author"])
        }
    }
}
