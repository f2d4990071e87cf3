/// The figures of the last hour, day and week, see `HealthRegister`: a ring of slots for each width, 372 rows at most.
enum HealthSchema {
    /// `width` and `began_at` in seconds; `slot` is `began_at / width` modulo the slots of its period. `to_row` has the
    /// counts of `DurationHistogram.ofMessages`, separated by commas, and `to_row_ms` their sum in milliseconds.
    static let script = """
        CREATE TABLE health (
            width INTEGER NOT NULL, slot INTEGER NOT NULL CHECK (slot BETWEEN 0 AND 167), began_at INTEGER NOT NULL,
            filed INTEGER NOT NULL, misrouted INTEGER NOT NULL, rejected INTEGER NOT NULL, duplicate INTEGER NOT NULL,
            failed INTEGER NOT NULL, to_row TEXT NOT NULL, to_row_ms INTEGER NOT NULL, failed_runs INTEGER NOT NULL,
            server_errors INTEGER NOT NULL, refused_requests INTEGER NOT NULL, waiting INTEGER NOT NULL,
            lag INTEGER NOT NULL, PRIMARY KEY (width, slot)
        ) STRICT, WITHOUT ROWID;
        """
}
