/// Letters that people write. On their way out they stand in `outbox`, with one row for each recipient.
enum LetterSchema {
    static let script = letters + contents

    /// `sender_name` and `reply_to` are what they were when the letter was sent. `mark` is the part of its Message-ID
    /// before the `@`, the same for all recipients. `answered_id` is the filed mail that it answers, which may be gone;
    /// no id of one is given twice. `link_id` is the link in the letter, which may be gone, too.
    ///
    /// `letter_recipient.recipient` is the address as `outbox` has it. `bounce` is what a report says that came back:
    /// `failed` or `delayed`; `bounce_status` its code (RFC 3463).
    private static let letters = """
        CREATE TABLE letter (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES user,
            fund_id INTEGER REFERENCES fund, answered_id INTEGER, answered_message_id TEXT, sender_name TEXT NOT NULL,
            reply_to TEXT NOT NULL, subject TEXT NOT NULL, body TEXT NOT NULL, mark TEXT NOT NULL UNIQUE,
            form_key TEXT, link_id INTEGER, sent_at INTEGER NOT NULL
        ) STRICT;
        -- A form that is sent twice makes one letter.
        CREATE UNIQUE INDEX letter_key ON letter (user_id, form_key) WHERE form_key IS NOT NULL;
        -- Lists by time end in the row's id by themselves.
        CREATE INDEX letter_user ON letter (user_id, sent_at);
        CREATE INDEX letter_fund ON letter (fund_id) WHERE fund_id IS NOT NULL;
        CREATE INDEX letter_answered ON letter (answered_id) WHERE answered_id IS NOT NULL;
        CREATE TABLE letter_recipient (
            letter_id INTEGER NOT NULL REFERENCES letter, number INTEGER NOT NULL, role TEXT NOT NULL, name TEXT,
            address TEXT NOT NULL, recipient TEXT NOT NULL, bounce TEXT, bounce_status TEXT, bounce_note TEXT,
            bounced_at INTEGER, PRIMARY KEY (letter_id, number), CHECK ((bounce IS NULL) = (bounced_at IS NULL))
        ) STRICT, WITHOUT ROWID;
        -- The letters that people sent within the last day, each counted once for each recipient, also of letters that
        -- are removed by now.
        CREATE TABLE letter_use (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user, at INTEGER NOT NULL,
            count INTEGER NOT NULL, form_key TEXT
        ) STRICT;
        CREATE INDEX letter_use_user ON letter_use (user_id, at);
        -- For counting what came back.
        CREATE INDEX letter_bounced ON letter_recipient (bounced_at) WHERE bounced_at IS NOT NULL;

        """

    private static let contents = """
        -- Blobs that a letter sends: they live as long as it does.
        CREATE TABLE letter_attachment (
            letter_id INTEGER NOT NULL REFERENCES letter, number INTEGER NOT NULL, name TEXT NOT NULL,
            content_type TEXT NOT NULL, size INTEGER NOT NULL, blob_id INTEGER NOT NULL REFERENCES blob,
            kind INTEGER, item_id INTEGER, PRIMARY KEY (letter_id, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX letter_attachment_blob ON letter_attachment (blob_id);
        -- The items that a letter sends, by themselves or by a link.
        CREATE TABLE letter_item (
            letter_id INTEGER NOT NULL REFERENCES letter, number INTEGER NOT NULL, kind INTEGER NOT NULL,
            item_id INTEGER NOT NULL, PRIMARY KEY (letter_id, number)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX letter_item_item ON letter_item (kind, item_id);
        """

    /// The contents that a file holds which was made for a letter: the files of a folder, the attachments of a mail.
    static let sources = """
        CREATE TABLE letter_source (
            letter_id INTEGER NOT NULL REFERENCES letter, number INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32), PRIMARY KEY (letter_id, number, digest)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX letter_source_digest ON letter_source (digest);
        """
}
