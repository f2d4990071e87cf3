/// Digests of news and of the desk: who wants them, which were queued, and up to where each person is told.
enum DigestSchema {
    static let script = choices + digests + outbox

    private static let choices = """
        -- See `NewsPace`. NULL: off.
        ALTER TABLE "user" ADD COLUMN news TEXT;
        ALTER TABLE "user" ADD COLUMN desk_digest INTEGER NOT NULL DEFAULT 0;
        -- See `PersonLanguage`. NULL: not known.
        ALTER TABLE "user" ADD COLUMN language TEXT;
        -- Whether another than the owner put the file there, as through a link: it is news for the owner.
        ALTER TABLE file ADD COLUMN is_from_others INTEGER NOT NULL DEFAULT 0;
        CREATE INDEX file_from_others ON file (fund_id) WHERE is_from_others = 1;

        """

    /// `period` is the number of a `DigestPeriod`. A digest of news tells of the emails with ids above `after_id` up to
    /// `until_id`, and of files likewise; one of the desk of kept messages. Nothing counts that came before `since`.
    ///
    /// `digest_progress` says up to where a person is told, and which digest and which period were the last ones. No
    /// period: the next look notes the one that has begun, and queues nothing.
    private static let digests = """
        CREATE TABLE digest (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES "user",
            pace TEXT NOT NULL, period INTEGER NOT NULL, at INTEGER NOT NULL, after_id INTEGER NOT NULL,
            until_id INTEGER NOT NULL, after_file_id INTEGER NOT NULL, until_file_id INTEGER NOT NULL, since INTEGER,
            UNIQUE (kind, user_id, pace, period)
        ) STRICT;
        CREATE TABLE digest_progress (
            kind TEXT NOT NULL, user_id INTEGER NOT NULL REFERENCES "user", period INTEGER, digest_id INTEGER,
            last_id INTEGER NOT NULL, last_file_id INTEGER NOT NULL, since INTEGER, PRIMARY KEY (kind, user_id)
        ) STRICT, WITHOUT ROWID;

        """

    /// Mail and files that a digest of news passed over, since they were held back or their fund was archived. `kind`
    /// is an `ItemKind`. `digest_id` is the digest that tells of it, once it is there for the person.
    static let items = """
        CREATE TABLE digest_item (
            user_id INTEGER NOT NULL REFERENCES "user", kind INTEGER NOT NULL, item_id INTEGER NOT NULL,
            digest_id INTEGER, PRIMARY KEY (user_id, kind, item_id)
        ) STRICT, WITHOUT ROWID;
        """

    static let outbox = """
        -- The letters of the last hour, for the limits.
        CREATE INDEX outbox_queued ON outbox (queued_at, kind, state);
        """
}
