import FundCore

/// Finds emails by their Message-ID (RFC 5322 §3.6.4), which several may have.
///
/// The index begins with the number of the block of 4,096 emails in which an email is. Message-IDs have no order: in an
/// index over all of them, each new email of a million would change a page of its own among twelve thousand, to be read,
/// logged and moved for it alone. Here it changes one of the fifty of the newest block. Who asks looks into each block,
/// which takes some microseconds.
enum MessageIDIndex {
    static let script = """
        DROP INDEX email_message_id;
        CREATE INDEX email_block ON email (id >> 12, internet_message_id) WHERE internet_message_id IS NOT NULL;
        """

    /// To be followed by joins and conditions: the emails with the Message-ID `?1`, the newest first.
    static let emails = """
        (WITH RECURSIVE block (number) AS (
            SELECT max(id) >> 12 FROM email UNION ALL SELECT number - 1 FROM block WHERE number > 0)
        SELECT number FROM block) CROSS JOIN email INDEXED BY email_block
            ON email.id >> 12 = number AND email.internet_message_id = ?1
        """
}
