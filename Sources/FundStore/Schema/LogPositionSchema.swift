/// Tables for the database's position in its log, and for the states of it that backups hold; since version 6.
enum LogPositionSchema {
    static let script = """
        -- The log has committed records there that no row knows, since the database is older.
        ALTER TABLE segment ADD COLUMN is_ahead INTEGER NOT NULL DEFAULT 0;
        -- States of this database that were copied into a backup, whose copy has the row of its own token as the last.
        -- How far it had come: its position in the log, and the last entry of its audit trail.
        CREATE TABLE backup_state (
            number INTEGER PRIMARY KEY, token INTEGER NOT NULL UNIQUE, at INTEGER NOT NULL,
            position INTEGER NOT NULL, activity INTEGER NOT NULL
        ) STRICT;
        """
}
