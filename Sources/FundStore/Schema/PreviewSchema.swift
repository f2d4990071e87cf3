/// Renditions and the work that is to make them, in a database of their own: a cache, so that it is never updated from
/// one version to the next, but made anew, and costs the store's own database nothing.
enum PreviewSchema {
    /// Another number makes everything anew.
    static let version = 1

    static let script = """
        -- What is known of a content; there is a row as soon as anything was tried.
        CREATE TABLE info (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32), type TEXT NOT NULL, pages INTEGER, width INTEGER,
            height INTEGER, milliseconds INTEGER, is_encrypted INTEGER NOT NULL DEFAULT 0
        ) STRICT, WITHOUT ROWID;
        -- What was made, or could not be made: then `failure` says why, and there is no file.
        CREATE TABLE rendition (
            digest BLOB NOT NULL CHECK (length(digest) = 32), kind TEXT NOT NULL, page INTEGER NOT NULL,
            recipe INTEGER NOT NULL, bytes_digest BLOB, size INTEGER NOT NULL DEFAULT 0, width INTEGER, height INTEGER,
            failure TEXT, used_at INTEGER NOT NULL, is_indexed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (digest, kind, page),
            CHECK ((bytes_digest IS NULL) = (failure IS NOT NULL))
        ) STRICT, WITHOUT ROWID;
        -- Texts that the search does not find yet.
        CREATE INDEX rendition_text ON rendition (digest)
            WHERE failure IS NULL AND is_indexed = 0 AND kind IN ('text', 'ocr');
        -- Work that waits or is being done. `family` is known after a first look at the content.
        CREATE TABLE job (
            id INTEGER PRIMARY KEY AUTOINCREMENT, digest BLOB NOT NULL CHECK (length(digest) = 32),
            size INTEGER NOT NULL, kind TEXT NOT NULL, page INTEGER NOT NULL, priority INTEGER NOT NULL,
            family TEXT, attempt INTEGER NOT NULL DEFAULT 1, asked_at INTEGER NOT NULL, not_before INTEGER NOT NULL,
            is_running INTEGER NOT NULL DEFAULT 0, user INTEGER, UNIQUE (digest, kind, page)
        ) STRICT;
        CREATE INDEX job_next ON job (priority, id) WHERE is_running = 0;
        -- What a scanner said of a content, and by which signatures.
        CREATE TABLE verdict (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32), verdict TEXT NOT NULL, malware TEXT,
            signatures INTEGER NOT NULL, at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX verdict_signatures ON verdict (signatures, at);
        CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        PRAGMA user_version = \(version);
        \(feedMarks)
        \(indexes)
        """

    /// A table that came later, made where it is missing.
    static let feedMarks = """
        -- Up to where the changes of each person were looked at for files.
        CREATE TABLE IF NOT EXISTS feed_mark (user_id INTEGER PRIMARY KEY, number INTEGER NOT NULL) STRICT;
        """

    /// A column that came later: for whom the work is. Nothing has to be made anew for it.
    static let userColumn = "ALTER TABLE job ADD COLUMN user INTEGER"

    /// Indexes by which the cache is counted and cleared without a look at all of its rows. They came later, and are
    /// made where they are missing: nothing has to be made anew for them.
    static let indexes = """
        -- With the column of its condition: without it SQLite 3.40 reads the rows, too.
        CREATE INDEX IF NOT EXISTS rendition_amount ON rendition (kind, used_at, size, failure) WHERE failure IS NULL;
        CREATE INDEX IF NOT EXISTS rendition_failure ON rendition (failure) WHERE failure IS NOT NULL;
        -- Where the scanner failed: `malware` has its words.
        CREATE INDEX IF NOT EXISTS verdict_failed ON verdict (at) WHERE verdict = 'unscanned';
        CREATE INDEX IF NOT EXISTS verdict_limit ON verdict (at) WHERE verdict = 'limit';
        CREATE INDEX IF NOT EXISTS job_waiting ON job (priority, asked_at);
        CREATE INDEX IF NOT EXISTS job_user ON job (priority, user, attempt, id) WHERE is_running = 0;
        DROP INDEX IF EXISTS rendition_used;
        """
}
