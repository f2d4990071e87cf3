import FundCore

/// Mail whose row was lost and made again: its subject and text are only in its raw message so far.
enum UnreadMail {
    /// Mark of such mail in `email.defects`.
    static let mark = "row_lost"

    /// Condition for mail that still lacks its text, and was not deleted for good.
    static let condition = """
        email.defects = '\(mark)' AND NOT EXISTS (SELECT 1 FROM deletion
            WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id AND purged_at IS NOT NULL)
        """
}
