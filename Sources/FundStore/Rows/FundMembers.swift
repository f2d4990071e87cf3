import FundCore

/// The memberships of owners, which follow from the rows of funds.
enum FundMembers {
    private static let isOwner = "fund_member.role = '\(FundRole.owner.rawValue)'"

    /// Funds whose owner is no member, or of which another member counts as the owner.
    static func wrong(_ db: Database) throws -> [Fund.ID] {
        try db.values(
            """
            SELECT id FROM fund WHERE NOT EXISTS (SELECT 1 FROM fund_member
                WHERE fund_member.user_id = fund.owner_id AND fund_member.fund_id = fund.id AND \(isOwner))
            UNION SELECT fund_id FROM fund_member WHERE \(isOwner) AND NOT EXISTS (SELECT 1 FROM fund
                WHERE fund.id = fund_member.fund_id AND fund.owner_id = fund_member.user_id)
            ORDER BY 1
            """)
    }

    /// Makes the memberships of owners anew where they are wrong and checksums prove the owners of all funds. Gives
    /// whether they were.
    static func mend(_ db: Database) throws -> Bool {
        guard try !wrong(db).isEmpty,
            try !RowChecks.changes(db).contains(where: { ["user", "fund"].contains($0.table) })
        else { return false }
        try complete(db)
        return true
    }

    static func complete(_ db: Database) throws {
        try db.execute(
            """
            DELETE FROM fund_member WHERE \(isOwner) AND NOT EXISTS (SELECT 1 FROM fund
                WHERE fund.id = fund_member.fund_id AND fund.owner_id = fund_member.user_id)
            """)
        try db.execute(
            """
            INSERT INTO fund_member (user_id, fund_id, role)
                SELECT owner_id, id, '\(FundRole.owner.rawValue)' FROM fund WHERE true
            ON CONFLICT (user_id, fund_id) DO UPDATE SET role = excluded.role
            """)
    }
}
