import FundCore

/// The bytes that each fund counts for its owner, see `StorageSchema`.
enum FundUse {
    /// SQL for the counts as files and mail have them: all funds, each once.
    static let actual = """
        SELECT fund.id, coalesce(put.bytes, 0) + coalesce(sent.bytes, 0) FROM fund
            LEFT JOIN (SELECT fund_id, sum(size) AS bytes FROM file WHERE attachment_id IS NULL GROUP BY fund_id)
                AS put ON put.fund_id = fund.id
            LEFT JOIN (SELECT email.fund_id, sum(attachment.size) AS bytes
                FROM attachment JOIN email ON email.id = attachment.email_id GROUP BY email.fund_id)
                AS sent ON sent.fund_id = fund.id
        """

    /// Counts new files that belong to no mail, or the attachments of new mail.
    static func add(_ bytes: Int64, to fund: Fund.ID, _ db: Database) throws {
        try db.execute("UPDATE fund_use SET bytes = bytes + ? WHERE fund_id = ?", [bytes, fund])
    }

    static func bytes(of fund: Fund.ID, _ db: Database) throws -> Int64 {
        try db.value("SELECT bytes FROM fund_use WHERE fund_id = ?", [fund]) ?? 0
    }

    static func bytes(of owner: User.ID, _ db: Database) throws -> Int64 {
        counted(
            try db.value(
                """
                SELECT sum(bytes) FROM fund \(SQL.thenJoin) fund_use ON fund_id = fund.id WHERE fund.owner_id = ?
                """, [owner]))
    }

    /// Bytes of all people together.
    static func bytesOfAll(_ db: Database) throws -> Int64 {
        counted(try db.value("SELECT sum(bytes) FROM fund_use"))
    }

    /// A number below zero is damage, of which a limit cannot be taken: `verify` tells it.
    private static func counted(_ bytes: Int64?) -> Int64 { max(bytes ?? 0, 0) }

    // MARK: Repair

    /// Funds whose count is not what files and mail have.
    static func wrong(_ db: Database) throws -> [Fund.ID] {
        try db.values(
            """
            WITH actual (fund_id, bytes) AS (\(actual))
            SELECT actual.fund_id FROM actual LEFT JOIN fund_use ON fund_use.fund_id = actual.fund_id
                WHERE fund_use.bytes IS DISTINCT FROM actual.bytes ORDER BY 1
            """)
    }

    /// Counts anew.
    static func complete(_ db: Database) throws {
        try db.execute("DELETE FROM fund_use")
        try db.execute("INSERT INTO fund_use (fund_id, bytes) \(actual)")
    }
}
