/// Contents that are kept from people.
enum QuarantineSchema {
    static let script = """
        -- One for each content in which malware was found; it stays when an administrator has given it free.
        CREATE TABLE quarantine (
            digest BLOB PRIMARY KEY CHECK (length(digest) = 32), malware TEXT NOT NULL, found_at INTEGER NOT NULL,
            released_at INTEGER, released_by TEXT
        ) STRICT, WITHOUT ROWID;
        """
}
