/// The tables of the queue.
enum TransferSchema {
    /// Times are milliseconds since 1970. Of a download, `item_kind` and `item` say what; `path` is where to, NULL for
    /// the cache. Of an upload, `path` is the source, `fund` and `folder` where to, `item` the file that gets new
    /// bytes. `damages` counts attempts whose bytes were of no use. `holder` names the process that transfers it now,
    /// see `ProcessMark`. `landing` is the name that a download is about to take: it is written before, so that a
    /// process that dies in between takes no second one. `stamp` is what the source of an upload was when `upload` (an
    /// address on the server) began. One that was cancelled `has_leftovers` until a runner removed them.
    static let script = """
        CREATE TABLE transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, state TEXT NOT NULL, priority INTEGER NOT NULL,
            position INTEGER NOT NULL, name TEXT NOT NULL, item_kind TEXT, item INTEGER, path TEXT,
            if_taken TEXT NOT NULL, fund INTEGER, folder INTEGER, content_type TEXT, if_match BLOB,
            is_exact INTEGER NOT NULL, digest BLOB, size INTEGER, bytes INTEGER NOT NULL, attempts INTEGER NOT NULL,
            next_attempt_at INTEGER, damages INTEGER NOT NULL DEFAULT 0,
            failure_code TEXT, failure TEXT, holder TEXT, part_digest BLOB, landing TEXT, upload TEXT, stamp TEXT,
            result TEXT, has_leftovers INTEGER NOT NULL DEFAULT 0, created_at INTEGER NOT NULL, finished_at INTEGER
        ) STRICT;
        CREATE INDEX transfer_order ON transfer (state, priority DESC, position);
        CREATE INDEX transfer_item ON transfer (item, state);
        CREATE INDEX transfer_digest ON transfer (digest, state);
        """

    /// `batch` names the command that waits for it, see `TransferBatch`. `modified_at` is the time that the file of a
    /// download gets.
    static let batches = """
        ALTER TABLE transfer ADD COLUMN batch TEXT;
        ALTER TABLE transfer ADD COLUMN modified_at INTEGER;
        CREATE INDEX transfer_batch ON transfer (batch, state) WHERE batch IS NOT NULL;
        CREATE INDEX transfer_path ON transfer (path, state) WHERE path IS NOT NULL;
        CREATE INDEX transfer_position ON transfer (position);
        """
}
