internal import FundCore

/// How much each fund holds, and how much people may have.
///
/// A fund counts the attachments of its mail, and its files without those that still belong to mail, each in full
/// (`FundUse.actual`). By triggers where rows are changed or removed; `FundUse.add` counts new files and attachments: a
/// statement with a trigger writes a journal of its own, which is slow for mail that comes in.
enum StorageSchema {
    static let script = """
        CREATE TABLE fund_use (
            fund_id INTEGER PRIMARY KEY REFERENCES fund, bytes INTEGER NOT NULL
        ) STRICT;
        INSERT INTO fund_use (fund_id, bytes) \(FundUse.actual);
        -- See `StorageQuota`; no row for what the configuration has, NULL for no limit.
        CREATE TABLE user_quota (
            user_id INTEGER PRIMARY KEY REFERENCES "user", bytes INTEGER
        ) STRICT;
        CREATE TRIGGER fund_use_insert AFTER INSERT ON fund BEGIN
            INSERT INTO fund_use (fund_id, bytes) VALUES (new.id, 0);
        END;
        CREATE TRIGGER fund_use_delete AFTER DELETE ON fund BEGIN
            DELETE FROM fund_use WHERE fund_id = old.id;
        END;
        CREATE TRIGGER fund_use_file_update AFTER UPDATE OF fund_id, size, attachment_id ON file
        WHEN old.fund_id <> new.fund_id OR \(counted("old")) <> \(counted("new")) BEGIN
            \(change("old.fund_id", "- \(counted("old"))"))
            \(change("new.fund_id", "+ \(counted("new"))"))
        END;
        CREATE TRIGGER fund_use_file_delete AFTER DELETE ON file WHEN old.attachment_id IS NULL BEGIN
            \(change("old.fund_id", "- old.size"))
        END;
        CREATE TRIGGER fund_use_attachment_delete AFTER DELETE ON attachment BEGIN
            \(change("(SELECT fund_id FROM email WHERE id = old.email_id)", "- old.size"))
        END;
        CREATE TRIGGER fund_use_email_update AFTER UPDATE OF fund_id ON email WHEN old.fund_id <> new.fund_id BEGIN
            \(change("old.fund_id", "- (\(attached))"))
            \(change("new.fund_id", "+ (\(attached))"))
        END;
        """

    /// Bytes for which a row of `file` counts.
    private static func counted(_ row: String) -> String {
        "CASE WHEN \(row).attachment_id IS NULL THEN \(row).size ELSE 0 END"
    }

    private static let attached = "SELECT coalesce(sum(size), 0) FROM attachment WHERE email_id = new.id"

    private static func change(_ fund: String, _ difference: String) -> String {
        "UPDATE fund_use SET bytes = bytes \(difference) WHERE fund_id = \(fund);"
    }
}
