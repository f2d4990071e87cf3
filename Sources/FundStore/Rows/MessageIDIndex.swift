import FundCore

/// Finds emails by their Message-ID (RFC 5322 §3.6.4), which several may have.
///
/// The index begins with the number of the block of 4,096 emails in which an email is. Message-IDs have no order: in an
/// index over all of them, each new email of a million would change a page of its own among twelve thousand, to be
/// read, logged and moved for it alone. Here it changes one of the fifty of the newest block. Who asks looks into each
/// block, which takes some microseconds.
enum MessageIDIndex {
    /// The index serves only a condition of the very same form.
    private static func block(_ id: String) -> String { "\(id) >> 12" }

    static let script = """
        DROP INDEX email_message_id;
        CREATE INDEX email_block ON email (\(block("id")), internet_message_id)
            WHERE internet_message_id IS NOT NULL;
        """

    /// The emails with the Message-ID `?1`, those of the newest block first. Joins and conditions follow.
    static let emails = """
        (WITH RECURSIVE block (number) AS (
            SELECT \(block("max(id)")) FROM email UNION ALL SELECT number - 1 FROM block WHERE number > 0)
        SELECT number FROM block) \(SQL.thenJoin) \(SQL.table("email", using: "email_block"))
            ON \(block("email.id")) = number AND email.internet_message_id = ?1
        """
}
