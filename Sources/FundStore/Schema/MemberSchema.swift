internal import FundCore

/// The people of each fund, and what they may do there.
///
/// A member of a fund sees it: `LibraryView` asks for nothing else. The columns `owner_id` that stay beside
/// it mean other things than seeing:
/// - `fund.owner_id`: the one person to whom the fund belongs, whose quota its files count for, by whose tags mail
///   finds it, and who gives it away. It is always a member, with the role `owner`: triggers see to it.
/// - `fund_key.owner_id`: the namespace of names, which is that of tags.
/// - `deletion.owner_id`: the owner of the item's fund when it was deleted, in whose trash it stands and whose quota it
///   goes on to count for.
/// - `share_link.owner_id`: the person who made the link.
enum MemberSchema {
    static let script = """
        -- `role` is a `FundRole`.
        CREATE TABLE fund_member (
            user_id INTEGER NOT NULL REFERENCES "user", fund_id INTEGER NOT NULL REFERENCES fund, role TEXT NOT NULL,
            PRIMARY KEY (user_id, fund_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX fund_member_fund ON fund_member (fund_id);
        INSERT INTO fund_member (user_id, fund_id, role)
            SELECT owner_id, id, '\(FundRole.owner.rawValue)' FROM fund ORDER BY owner_id, id;
        CREATE TRIGGER fund_member_insert AFTER INSERT ON fund BEGIN
            \(membership)
        END;
        CREATE TRIGGER fund_member_update AFTER UPDATE OF owner_id ON fund WHEN old.owner_id <> new.owner_id BEGIN
            DELETE FROM fund_member WHERE fund_id = new.id AND role = '\(FundRole.owner.rawValue)';
            \(membership)
        END;
        CREATE TRIGGER fund_member_delete AFTER DELETE ON fund BEGIN
            DELETE FROM fund_member WHERE fund_id = old.id;
        END;
        """

    private static let membership = """
        INSERT INTO fund_member (user_id, fund_id, role) VALUES (new.owner_id, new.id, '\(FundRole.owner.rawValue)')
                ON CONFLICT (user_id, fund_id) DO UPDATE SET role = excluded.role;
        """
}
