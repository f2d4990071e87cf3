/// People's drives, and the transfers between drives and funds.
enum DriveSchema {
    /// `settings` is sealed (`DriveSeal`). `revision` grows with each change of it. `problem` is a `DriveProblem`.
    private static let drives = """
        CREATE TABLE drive (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user", name TEXT NOT NULL,
            name_key TEXT NOT NULL, kind TEXT NOT NULL, host TEXT NOT NULL, settings BLOB NOT NULL,
            revision INTEGER NOT NULL, added_at INTEGER NOT NULL, problem TEXT, UNIQUE (user_id, name_key)
        ) STRICT;
        CREATE INDEX drive_failing ON drive (id) WHERE problem IS NOT NULL;
        -- Number of the latest change of each user's drives and transfers, of those of all users.
        CREATE TABLE drive_version (
            user_id INTEGER PRIMARY KEY REFERENCES "user", number INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX drive_version_number ON drive_version (number);

        """

    /// A transfer is not tried before `due_at`. `begun` numbers the beginnings of all transfers: people take turns by
    /// it. A transfer without a fund is a push.
    private static let transfers = """
        CREATE TABLE drive_transfer (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user",
            drive_id INTEGER NOT NULL REFERENCES drive, fund_id INTEGER, folder_id INTEGER, state TEXT NOT NULL,
            is_cancelled INTEGER NOT NULL DEFAULT 0, due_at INTEGER NOT NULL, begun INTEGER NOT NULL DEFAULT 0,
            files INTEGER NOT NULL DEFAULT 0, total_files INTEGER NOT NULL DEFAULT 0,
            failed_files INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0,
            total_bytes INTEGER NOT NULL DEFAULT 0, added_at INTEGER NOT NULL, ended_at INTEGER, problem TEXT,
            detail TEXT
        ) STRICT;
        CREATE INDEX drive_transfer_user ON drive_transfer (user_id, id);
        CREATE INDEX drive_transfer_turn ON drive_transfer (user_id, begun);
        CREATE INDEX drive_transfer_drive ON drive_transfer (drive_id);
        CREATE INDEX drive_transfer_waiting ON drive_transfer (state, user_id) WHERE ended_at IS NULL;
        CREATE INDEX drive_transfer_ended ON drive_transfer (ended_at) WHERE ended_at IS NOT NULL;
        -- The paths that a transfer was given, in their order, and for a push the items of the library.
        CREATE TABLE drive_transfer_part (
            transfer_id INTEGER NOT NULL REFERENCES drive_transfer, number INTEGER NOT NULL, path TEXT, kind INTEGER,
            item_id INTEGER, PRIMARY KEY (transfer_id, number)
        ) STRICT, WITHOUT ROWID;
        -- The files that have arrived, by their paths in the drive. A push may have several files for one path, and
        -- tells them apart by their ids in the library; those of a pull have 0.
        CREATE TABLE drive_transfer_file (
            transfer_id INTEGER NOT NULL REFERENCES drive_transfer, path TEXT NOT NULL, file_id INTEGER NOT NULL,
            version TEXT, PRIMARY KEY (transfer_id, path, file_id)
        ) STRICT, WITHOUT ROWID;
        -- The paths that are written to, each with its file and the path at which that would be if its name were free.
        CREATE TABLE drive_transfer_target (
            transfer_id INTEGER NOT NULL REFERENCES drive_transfer, target TEXT NOT NULL, path TEXT NOT NULL,
            file_id INTEGER NOT NULL, PRIMARY KEY (transfer_id, target)
        ) STRICT, WITHOUT ROWID;
        """

    static let script = drives + transfers

    /// A watched folder is looked at from `due_at` on. `failures` counts looks and transfers in a row that failed.
    /// `revision` grows
    /// with each change of its owner's.
    ///
    /// Rows of its files keep two states of the content (`DriveEntry.contentMark`), `seen` and `filed`;
    /// `digest` and `file_id` tell what was filed latest. Files that were filed are remembered for a time after they
    /// have left the folder (`gone_at`).
    static let watches = """
        CREATE TABLE drive_watch (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user",
            drive_id INTEGER NOT NULL REFERENCES drive, path TEXT NOT NULL, fund_id INTEGER NOT NULL, folder_id INTEGER,
            disposition TEXT NOT NULL, subfolder TEXT NOT NULL, minutes INTEGER NOT NULL, state TEXT NOT NULL,
            revision INTEGER NOT NULL DEFAULT 1, added_at INTEGER NOT NULL, looked_at INTEGER, due_at INTEGER NOT NULL,
            failures INTEGER NOT NULL DEFAULT 0, problem TEXT, detail TEXT, files INTEGER NOT NULL DEFAULT 0,
            folders INTEGER NOT NULL DEFAULT 0, UNIQUE (drive_id, path)
        ) STRICT;
        CREATE INDEX drive_watch_user ON drive_watch (user_id, id);
        CREATE INDEX drive_watch_due ON drive_watch (due_at) WHERE state = 'on';
        CREATE TABLE drive_watch_file (
            watch_id INTEGER NOT NULL REFERENCES drive_watch, name TEXT NOT NULL, store_id TEXT, seen TEXT NOT NULL,
            seen_at INTEGER NOT NULL, state TEXT NOT NULL, filed TEXT, digest BLOB, file_id INTEGER, target TEXT,
            gone_at INTEGER, attempts INTEGER NOT NULL DEFAULT 0, problem TEXT, PRIMARY KEY (watch_id, name)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX drive_watch_file_state ON drive_watch_file (watch_id, state) WHERE gone_at IS NULL;
        ALTER TABLE drive_transfer ADD COLUMN watch_id INTEGER;
        CREATE INDEX drive_transfer_watch ON drive_transfer (watch_id) WHERE watch_id IS NOT NULL AND ended_at IS NULL;
        """

    /// Names of accounts, and an index by which people take turns at their watched folders.
    static let accounts = """
        ALTER TABLE drive ADD COLUMN account TEXT;
        CREATE INDEX drive_watch_turn ON drive_watch (user_id, looked_at);
        """
}
