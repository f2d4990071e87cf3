/// The tables of the cache: which contents are on this machine.
enum CacheSchema {
    /// Times are whole seconds since 1970. `total` is kept by triggers: a sum over all rows for each new one would be
    /// slow. `local_copy` has which content a file had when it was loaded last.
    static let script = """
        CREATE TABLE object (
            digest BLOB PRIMARY KEY, size INTEGER NOT NULL, used_at INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX object_use ON object (used_at);
        CREATE TABLE object_total (id INTEGER PRIMARY KEY CHECK (id = 1), bytes INTEGER NOT NULL) STRICT;
        INSERT INTO object_total VALUES (1, 0);
        CREATE TRIGGER object_insert AFTER INSERT ON object BEGIN
            UPDATE object_total SET bytes = bytes + new.size;
        END;
        CREATE TRIGGER object_delete AFTER DELETE ON object BEGIN
            UPDATE object_total SET bytes = bytes - old.size;
        END;
        CREATE TABLE pin (digest BLOB PRIMARY KEY) STRICT, WITHOUT ROWID;
        CREATE TABLE local_copy (file INTEGER PRIMARY KEY, digest BLOB NOT NULL) STRICT;
        """
}
