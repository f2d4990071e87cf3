import FundCore

/// The people of users' mail. Filing notes whom a mail names, and a letter whom its writer wrote to, each in its own
/// transaction.
struct KnownAddressRows {
    let db: Database

    /// Recipients of a mail that are noted: more are a list of its own.
    private static let maxOfMail = 30
    /// Rows of a user that are kept: the latest.
    static let maxKept = 10_000

    /// Notes the senders and recipients of an email that was filed. Addresses of its owner and of mailboxes are left
    /// out.
    func noteSeen(_ header: MessageHeader, in email: EmailSummary.ID, of user: User.ID, at time: Timestamp) throws {
        let people = header.from.flatMap(\.addresses) + header.to + header.cc
        var seen: Set<EmailAddress> = []
        for person in people.prefix(Self.maxOfMail) {
            guard let address = EmailAddress(person.address), seen.insert(address).inserted else { continue }
            try db.execute(
                """
                INSERT INTO known_address (user_id, address, name, seen_count, seen_at, first_email_id, last_email_id)
                SELECT ?1, ?2, ?3, 1, ?4, ?5, ?5
                WHERE NOT EXISTS (SELECT 1 FROM address WHERE address = ?2 AND user_id = ?1)
                    AND NOT EXISTS (SELECT 1 FROM mailbox WHERE address = ?2)
                ON CONFLICT (user_id, address) DO UPDATE SET
                    name = coalesce(excluded.name, known_address.name), seen_count = known_address.seen_count + 1,
                    seen_at = excluded.seen_at, last_email_id = excluded.last_email_id,
                    first_email_id = coalesce(known_address.first_email_id, excluded.first_email_id)
                """,
                [user, address.description, Self.name(person.displayName, of: address), time, email])
        }
    }

    /// Notes that a user wrote to an address.
    func noteUse(_ address: EmailAddress, name: String?, by user: User.ID, at time: Timestamp) throws {
        try db.execute(
            """
            INSERT INTO known_address (user_id, address, name, used_count, used_at) VALUES (?1, ?2, ?3, 1, ?4)
            ON CONFLICT (user_id, address) DO UPDATE SET
                name = coalesce(known_address.name, excluded.name), used_count = known_address.used_count + 1,
                used_at = excluded.used_at
            """, [user, address.description, Self.name(name, of: address), time])
    }

    /// A name for a list; nil for one that says no more than the address.
    private static func name(_ name: String?, of address: EmailAddress) -> String? {
        guard let name = name?.streamSafe.label.trimmed.prefix(bytes: ContactLimits.maxLineBytes),
            name.hasVisibleScalar,
            name.lowercased() != address.description
        else { return nil }
        return name
    }

    /// Forgets who stood in these emails alone, which their owners have no longer.
    func forget(_ emails: some Sequence<EmailSummary.ID>) throws {
        let list: SQLArguments = [SQL.list(emails.map(\.rawValue))]
        let among = SQL.isAmong("?1")
        let owners = "user_id IN (SELECT user_id FROM email WHERE id \(among))"
        try db.execute(
            """
            UPDATE known_address SET first_email_id = CASE WHEN first_email_id \(among) THEN last_email_id
                    ELSE first_email_id END,
                last_email_id = CASE WHEN last_email_id \(among) THEN first_email_id ELSE last_email_id END,
                seen_count = \(SQL.greatest("seen_count - 1", "1"))
            WHERE \(owners) AND (first_email_id \(among)) <> (last_email_id \(among))
            """, list)
        let isGone = "\(owners) AND first_email_id \(among) AND last_email_id \(among)"
        try db.execute("DELETE FROM known_address WHERE \(isGone) AND used_count = 0", list)
        try db.execute(
            """
            UPDATE known_address SET seen_count = 0, seen_at = NULL, first_email_id = NULL, last_email_id = NULL
            WHERE \(isGone)
            """, list)
    }

    /// Whether a user has more rows than are kept.
    func hasExcess() throws -> Bool {
        try db.exists("SELECT 1 FROM known_address GROUP BY user_id HAVING count(*) > ?", [Self.maxKept])
    }

    /// Forgets the oldest rows of users who have more than `maxKept`.
    func forgetExcess() throws {
        let users: [User.ID] = try db.values(
            "SELECT user_id FROM known_address GROUP BY user_id HAVING count(*) > ?", [Self.maxKept])
        for user in users {
            let latest = SQL.greatest("coalesce(seen_at, 0)", "coalesce(used_at, 0)")
            let oldest: Int64? = try db.value(
                """
                SELECT \(latest) FROM known_address WHERE user_id = ? ORDER BY 1 DESC LIMIT 1 OFFSET \(Self.maxKept - 1)
                """, [user])
            guard let oldest else { continue }
            try db.execute("DELETE FROM known_address WHERE user_id = ? AND \(latest) < ?", [user, oldest])
        }
    }
}
