/// The segments of the log, and which of their records are dead. Where the record of a raw message or a blob stands is
/// said in the row of that message or blob, see `MailSchema`.
enum LogSchema {
    static let script = """
        -- A segment file of the log: where its committed records end, and how many bytes of them are still needed.
        CREATE TABLE segment (
            number INTEGER PRIMARY KEY AUTOINCREMENT, end_offset INTEGER NOT NULL,
            live_bytes INTEGER NOT NULL DEFAULT 0, is_sealed INTEGER NOT NULL DEFAULT 0,
            released_bytes INTEGER NOT NULL DEFAULT 0, salt INTEGER
        ) STRICT;
        -- Records that nothing needs any more and whose bytes are to be given back to the disk.
        CREATE TABLE dead_record (
            segment INTEGER NOT NULL, record_offset INTEGER NOT NULL, record_bytes INTEGER NOT NULL,
            digest BLOB NOT NULL CHECK (length(digest) = 32), PRIMARY KEY (segment, record_offset)
        ) STRICT, WITHOUT ROWID;
        """
}
