/// Users' contacts, and the people of their mail.
enum ContactSchema {
    static let script = contacts + people + RowCheckSchema.script(of: ["contact"]) + earlierSenders

    /// `addresses`, `phones` and `group_names` have a line for each, the first two as `ContactText` writes them.
    /// `words` and `name_key` follow from the others, see `ContactWords`. `revision` is the number of the change of the
    /// user's list by which the row became what it is, a deleted one, too; devices ask for what came after a revision.
    private static let contacts = """
        CREATE TABLE contact (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user", uid TEXT NOT NULL,
            name TEXT NOT NULL, organisation TEXT NOT NULL, department TEXT NOT NULL, title TEXT NOT NULL,
            addresses TEXT NOT NULL, phones TEXT NOT NULL, group_names TEXT NOT NULL, note TEXT NOT NULL,
            name_key TEXT NOT NULL, words TEXT NOT NULL, revision INTEGER NOT NULL, created_at INTEGER NOT NULL,
            changed_at INTEGER NOT NULL, deleted_at INTEGER, UNIQUE (user_id, uid)
        ) STRICT;
        CREATE INDEX contact_name ON contact (user_id, name_key) WHERE deleted_at IS NULL;
        CREATE INDEX contact_revision ON contact (user_id, revision);
        CREATE INDEX contact_deleted ON contact (deleted_at) WHERE deleted_at IS NOT NULL;
        -- Number of the last change of each user's list, and of the last one of which rows were removed for good.
        CREATE TABLE contact_list (
            user_id INTEGER PRIMARY KEY REFERENCES "user", revision INTEGER NOT NULL,
            forgotten INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        -- A file that a user wants to import, until they have seen what would become of it.
        CREATE TABLE contact_import (
            user_id INTEGER PRIMARY KEY REFERENCES "user", content TEXT NOT NULL, at INTEGER NOT NULL
        ) STRICT;

        """

    /// `first_email_id` and `last_email_id` are the ends of the emails that name the address: where one of them is
    /// taken back or purged, the other one stands for it, and where it was the only one, the row goes.
    private static let people = """
        CREATE TABLE known_address (
            user_id INTEGER NOT NULL REFERENCES "user", address TEXT NOT NULL, name TEXT,
            seen_count INTEGER NOT NULL DEFAULT 0, seen_at INTEGER, first_email_id INTEGER, last_email_id INTEGER,
            used_count INTEGER NOT NULL DEFAULT 0, used_at INTEGER, PRIMARY KEY (user_id, address)
        ) STRICT, WITHOUT ROWID;

        """

    /// Recipients of mail of before stand in the messages alone.
    private static let earlierSenders = """
        INSERT INTO known_address (user_id, address, seen_count, seen_at, first_email_id, last_email_id)
            SELECT user_id, lower(from_address), count(*), max(received_at), min(id), max(id) FROM email
            WHERE from_address LIKE '%_@_%' AND NOT EXISTS
                (SELECT 1 FROM address WHERE address.user_id = email.user_id AND address = lower(from_address))
            GROUP BY user_id, lower(from_address);
        """
}
