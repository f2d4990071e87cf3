import FundCore

/// Links by which people outside see a user's things, or put files into a folder.
enum ShareLinkSchema {
    static let script = """
        -- `digest` is of the token in the address, which is derived from `seed` and a key that is not in the database.
        -- `purpose`: see `ShareLink.Purpose`. `max_files` and `max_bytes` are those of an upload link, `files` and
        -- `bytes` what came by it.
        CREATE TABLE share_link (
            id INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL REFERENCES "user",
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), seed BLOB NOT NULL, purpose TEXT NOT NULL,
            label TEXT, password TEXT, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER,
            max_openings INTEGER, openings INTEGER NOT NULL DEFAULT 0, opened_at INTEGER,
            is_watermarked INTEGER NOT NULL DEFAULT 0, shows_owner INTEGER NOT NULL DEFAULT 0,
            max_files INTEGER, max_bytes INTEGER, files INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX share_link_owner ON share_link (owner_id, id);
        -- The things of a link, by kind and id as in `favourite`.
        CREATE TABLE share_item (
            link_id INTEGER NOT NULL REFERENCES share_link, kind INTEGER NOT NULL, item_id INTEGER NOT NULL,
            PRIMARY KEY (link_id, kind, item_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX share_item_item ON share_item (kind, item_id);
        -- Each opening, and each file that was put, with what the visitor typed.
        CREATE TABLE share_use (
            id INTEGER PRIMARY KEY AUTOINCREMENT, link_id INTEGER NOT NULL REFERENCES share_link, at INTEGER NOT NULL,
            name TEXT, network TEXT NOT NULL, file_id INTEGER, file_name TEXT, file_size INTEGER
        ) STRICT;
        CREATE INDEX share_use_link ON share_use (link_id, id);
        """

    /// Links of a store that had none of these columns are bound to the fund in which all their things lie now. Those
    /// whose things lie in several funds, or are gone, show nothing.
    static let funds = """
        -- The fund in which the link was made. No id of a fund is given twice.
        ALTER TABLE share_link ADD COLUMN fund_id INTEGER;
        UPDATE share_link SET fund_id = (
            SELECT min(fund_id) FROM (
                SELECT CASE kind
                    WHEN \(ItemKind.fund.rawValue) THEN item_id
                    WHEN \(ItemKind.folder.rawValue) THEN (SELECT fund_id FROM folder WHERE id = item_id)
                    WHEN \(ItemKind.file.rawValue) THEN (SELECT fund_id FROM file WHERE id = item_id)
                    WHEN \(ItemKind.email.rawValue) THEN (SELECT fund_id FROM email WHERE id = item_id)
                    WHEN \(ItemKind.note.rawValue) THEN (SELECT fund_id FROM note WHERE id = item_id)
                    END AS fund_id
                FROM share_item WHERE link_id = share_link.id)
            HAVING count(DISTINCT fund_id) = 1);
        """
}
