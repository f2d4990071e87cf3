/// Uploads that can be resumed.
enum UploadSchema {
    static let script = """
        -- One for each upload that is not complete, and of complete ones which file each became, for a day.
        -- `replaced_id` is a file that gets new content; else it becomes a file in `fund_id`. `if_taken`: 0 refuse,
        -- 1 number, 2 replace. `salt` and `created_at` stand in its file.
        -- So many bytes as `synced_bytes` are durable. Under the same `boot` (random/boot_id of proc(5)) the file holds
        -- all that was written to it; after another start of the machine what stands behind `synced_bytes` does not
        -- count.
        CREATE TABLE upload (
            key TEXT PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES "user", fund_id INTEGER, folder_id INTEGER,
            name TEXT NOT NULL, if_taken INTEGER NOT NULL, replaced_id INTEGER,
            replaced_digest BLOB CHECK (replaced_digest IS NULL OR length(replaced_digest) = 32),
            content_type TEXT NOT NULL, length INTEGER, salt INTEGER NOT NULL, synced_bytes INTEGER NOT NULL,
            boot TEXT NOT NULL, created_at INTEGER NOT NULL, touched_at INTEGER NOT NULL, file_id INTEGER
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX upload_user ON upload (user_id);
        """

    /// Modification time of the file, as its owner's program has it: seconds since 1970; NULL for when it is complete.
    static let times = "ALTER TABLE upload ADD COLUMN modified_at INTEGER;"
}
