/// Feeds, the lists in which users have them, and their items.
enum NewsSchema {
    static let script = feeds + items + office

    /// A feed is there once for each address. `etag` and `last_modified` are those of the answer whose bytes have
    /// `digest`, and whose items were seen at `document_at`. `interval` is in seconds. A feed without `next_at` is gone
    /// for good. `problem` is a `NewsProblem`.
    private static let feeds = """
        CREATE TABLE news_feed (
            id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL UNIQUE, title TEXT NOT NULL, site TEXT,
            etag TEXT, last_modified TEXT, digest BLOB CHECK (digest IS NULL OR length(digest) = 32),
            document_at INTEGER, interval INTEGER NOT NULL, next_at INTEGER, fetched_at INTEGER, succeeded_at INTEGER,
            failures INTEGER NOT NULL DEFAULT 0, problem TEXT, detail TEXT
        ) STRICT;
        CREATE INDEX news_feed_due ON news_feed (next_at) WHERE next_at IS NOT NULL;
        CREATE INDEX news_feed_failing ON news_feed (failures) WHERE problem IS NOT NULL;
        -- `fund_id` is 0 in a user's own list. `title` is a name that the reader gave the feed.
        CREATE TABLE news_subscription (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user",
            fund_id INTEGER NOT NULL DEFAULT 0, feed_id INTEGER NOT NULL REFERENCES news_feed, title TEXT,
            folder TEXT NOT NULL DEFAULT '', UNIQUE (user_id, fund_id, feed_id)
        ) STRICT;
        CREATE INDEX news_subscription_feed ON news_subscription (feed_id);

        """

    /// `enclosures` has a line for each, as `NewsText` writes them. `digest` is of all that an item says. An item was
    /// seen last in the document of `seen_at`.
    private static let items = """
        CREATE TABLE news_item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, feed_id INTEGER NOT NULL REFERENCES news_feed, key TEXT NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32), title TEXT NOT NULL, link TEXT, author TEXT,
            excerpt TEXT NOT NULL, published_at INTEGER NOT NULL, seen_at INTEGER NOT NULL,
            is_indexed INTEGER NOT NULL DEFAULT 0, enclosures TEXT NOT NULL, html TEXT NOT NULL, UNIQUE (feed_id, key)
        ) STRICT;
        CREATE INDEX news_item_order ON news_item (feed_id, published_at, id);
        CREATE INDEX news_item_seen ON news_item (seen_at);
        CREATE INDEX news_item_unindexed ON news_item (id) WHERE is_indexed = 0;
        -- One for each user and item of their lists, and for starred items of lists of before.
        CREATE TABLE news_entry (
            user_id INTEGER NOT NULL REFERENCES "user", item_id INTEGER NOT NULL REFERENCES news_item,
            feed_id INTEGER NOT NULL, published_at INTEGER NOT NULL, is_read INTEGER NOT NULL DEFAULT 0,
            is_starred INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (user_id, item_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX news_entry_order ON news_entry (user_id, published_at, item_id);
        CREATE INDEX news_entry_feed ON news_entry (user_id, feed_id, published_at, item_id);
        CREATE INDEX news_entry_unread ON news_entry (user_id, published_at, item_id) WHERE is_read = 0;
        CREATE INDEX news_entry_count ON news_entry (user_id, feed_id, published_at, item_id) WHERE is_read = 0;
        CREATE INDEX news_entry_starred ON news_entry (user_id, published_at, item_id) WHERE is_starred = 1;
        CREATE INDEX news_entry_item ON news_entry (item_id);
        -- Number of the latest change of each user's news, of those of all users.
        CREATE TABLE news_version (
            user_id INTEGER PRIMARY KEY REFERENCES "user", number INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX news_version_number ON news_version (number);

        """

    private static let office = """
        CREATE TABLE news_offer (
            id INTEGER PRIMARY KEY AUTOINCREMENT, address TEXT NOT NULL UNIQUE, title TEXT NOT NULL,
            folder TEXT NOT NULL
        ) STRICT;
        CREATE TABLE news_forbidden (host TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
        """
}
