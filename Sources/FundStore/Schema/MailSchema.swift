/// Mail as it came in, what was filed of it, what was kept, and where it came from.
enum MailSchema {
    static let script = messages + attachments + sources + kept

    private static let messages = """
        -- One row for each distinct raw message that was taken in, with the place of its record in the log until the
        -- raw message is dropped.
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            fingerprint BLOB NOT NULL, size INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT, mailbox TEXT,
            place TEXT NOT NULL, received_at INTEGER NOT NULL, is_header_only INTEGER NOT NULL DEFAULT 0,
            segment INTEGER, record_offset INTEGER, record_bytes INTEGER, raw_dropped_at INTEGER,
            CHECK ((segment IS NULL) = (raw_dropped_at IS NOT NULL))
        ) STRICT;
        CREATE INDEX message_kept ON message (fingerprint) WHERE outcome <> 'filed';
        CREATE TABLE email (
            id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL UNIQUE REFERENCES message,
            fingerprint BLOB NOT NULL UNIQUE, user_id INTEGER NOT NULL REFERENCES user,
            fund_id INTEGER NOT NULL REFERENCES fund, subject TEXT, from_address TEXT, sent_at INTEGER,
            internet_message_id TEXT, defects TEXT NOT NULL, received_at INTEGER NOT NULL, source TEXT NOT NULL,
            text TEXT, html TEXT
        ) STRICT;
        -- Lists by time end in the row's id by themselves. The second answers questions for a sender from itself alone.
        CREATE INDEX email_fund ON email (fund_id, received_at);
        CREATE INDEX email_user ON email (user_id, received_at, from_address, fund_id);
        -- The emails of a fund as they came: what is new among ten thousand is read without reading all of them.
        CREATE INDEX email_arrival ON email (fund_id);
        -- Who wrote into which fund before, and where a conversation is.
        CREATE INDEX email_sender ON email (from_address COLLATE NOCASE, fund_id);
        CREATE INDEX email_message_id ON email (internet_message_id) WHERE internet_message_id IS NOT NULL;

        """

    /// `md5` and `sha1` are computed at the first request for them, not while mail or an upload is stored.
    private static let attachments = """
        -- One row for each distinct content of files, with the place of its record in the log; an empty one has none.
        CREATE TABLE blob (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), size INTEGER NOT NULL,
            segment INTEGER, record_offset INTEGER, record_bytes INTEGER, md5 BLOB, sha1 BLOB,
            CHECK ((segment IS NULL) = (size = 0))
        ) STRICT;
        -- Blobs that a raw message repeats: they live as long as it does.
        CREATE TABLE message_blob (
            message_id INTEGER NOT NULL REFERENCES message, blob_id INTEGER NOT NULL REFERENCES blob,
            PRIMARY KEY (message_id, blob_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX message_blob_blob ON message_blob (blob_id);
        CREATE TABLE attachment (
            id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL REFERENCES email,
            blob_id INTEGER NOT NULL REFERENCES blob, sent_name TEXT, display_name TEXT NOT NULL,
            content_type TEXT NOT NULL, size INTEGER NOT NULL, is_inline INTEGER NOT NULL, content_id TEXT,
            part_path TEXT NOT NULL
        ) STRICT;
        CREATE INDEX attachment_email ON attachment (email_id);
        CREATE INDEX attachment_blob ON attachment (blob_id);

        """

    /// `mailbox.failing_since` is when the first of the failed runs of `consecutive_failures` ended.
    ///
    /// `delivery.announced_bytes` is the size of the message by its server, `is_header_only` whether nothing but its
    /// header was fetched, and `departed_at` when it was seen to be gone. `has_size_mismatch`: the server gave another
    /// number of bytes than it announced. Its copy is left alone, and not fetched again while it announces the same
    /// number.
    private static let sources = """
        CREATE TABLE mailbox (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, address TEXT, last_attempt_at INTEGER,
            last_success_at INTEGER, last_error_at INTEGER, last_error TEXT,
            consecutive_failures INTEGER NOT NULL DEFAULT 0, failing_since INTEGER,
            waiting INTEGER NOT NULL DEFAULT 0, oldest_waiting_at INTEGER, runs INTEGER NOT NULL DEFAULT 0,
            filed INTEGER NOT NULL DEFAULT 0, misrouted INTEGER NOT NULL DEFAULT 0,
            rejected INTEGER NOT NULL DEFAULT 0, duplicate INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        -- One for each message seen at a source; on servers each place once.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY, mailbox TEXT, place TEXT NOT NULL, digest BLOB NOT NULL,
            message_id INTEGER NOT NULL REFERENCES message, outcome TEXT NOT NULL, reason TEXT, at INTEGER NOT NULL,
            announced_bytes INTEGER, is_header_only INTEGER NOT NULL DEFAULT 0,
            has_size_mismatch INTEGER NOT NULL DEFAULT 0, departed_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX delivery_place ON delivery (mailbox, place) WHERE mailbox IS NOT NULL;

        """

    private static let kept = """
        -- One for each message that was not filed when it came. `cause` is the key of a `MisrouteCause`.
        CREATE TABLE misroute (
            id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL UNIQUE REFERENCES message, outcome TEXT NOT NULL,
            reason TEXT NOT NULL, detail TEXT, sender TEXT, user_id INTEGER REFERENCES user, subject TEXT, tag TEXT,
            suggestions TEXT NOT NULL, trust TEXT NOT NULL, is_unverified INTEGER NOT NULL DEFAULT 0,
            cause TEXT NOT NULL DEFAULT '', attempts INTEGER NOT NULL DEFAULT 1, put_off_until INTEGER,
            resolution TEXT, resolved_at INTEGER, resolved_by TEXT, note TEXT, email_id INTEGER REFERENCES email
        ) STRICT;
        CREATE INDEX misroute_open ON misroute (id) WHERE resolution IS NULL;
        -- A user's own mail that was not filed, see `MailLibrary.received`.
        CREATE INDEX misroute_user ON misroute (user_id) WHERE user_id IS NOT NULL;
        CREATE INDEX misroute_cause ON misroute (cause, put_off_until) WHERE resolution IS NULL;
        CREATE INDEX misroute_email ON misroute (email_id) WHERE email_id IS NOT NULL;
        CREATE INDEX misroute_resolved ON misroute (resolved_at) WHERE resolution IS NOT NULL;
        """
}
