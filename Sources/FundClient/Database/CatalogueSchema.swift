internal import GRDB

/// The tables of the catalogue: what is on the server, as the feed of changes told. No row refers to another by a
/// constraint: the feed tells a file before its folder when the folder changed later.
enum CatalogueSchema {
    /// Times are whole seconds since 1970. `seen` is the round of `feed` in which a row was told last.
    static let script = """
        CREATE TABLE feed (
            id INTEGER PRIMARY KEY CHECK (id = 1), cursor INTEGER NOT NULL, round INTEGER NOT NULL,
            is_complete INTEGER NOT NULL, caught_up_at INTEGER
        ) STRICT;
        INSERT INTO feed VALUES (1, 0, 1, 0, NULL);
        CREATE TABLE fund (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL, aliases TEXT NOT NULL, created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL, is_favourite INTEGER NOT NULL, is_archived INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE folder (
            id INTEGER PRIMARY KEY, fund INTEGER NOT NULL, parent INTEGER, name TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, seen INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX folder_place ON folder (fund, parent, name);
        CREATE TABLE file (
            id INTEGER PRIMARY KEY, fund INTEGER NOT NULL, folder INTEGER, name TEXT NOT NULL, size INTEGER NOT NULL,
            content_type TEXT NOT NULL, digest BLOB NOT NULL, created_at INTEGER NOT NULL,
            modified_at INTEGER NOT NULL, attachment INTEGER, email INTEGER, is_favourite INTEGER NOT NULL,
            preview TEXT, seen INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX file_place ON file (fund, folder, name);
        CREATE INDEX file_digest ON file (digest);
        CREATE TABLE email (
            id INTEGER PRIMARY KEY, fund INTEGER NOT NULL, subject TEXT, sender TEXT, sent_at INTEGER,
            received_at INTEGER NOT NULL, attachment_count INTEGER NOT NULL, is_favourite INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX email_place ON email (fund, received_at);
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, fund INTEGER NOT NULL, title TEXT NOT NULL, content TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, is_favourite INTEGER NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX note_place ON note (fund, modified_at);
        """

    /// `history` names the server's history that the rows are of, see `ChangePage`.
    static let histories = "ALTER TABLE feed ADD COLUMN history TEXT"

    /// Indexes of the things in a folder, whatever fund their rows name: the feed may tell a folder that went to
    /// another fund before what is in it.
    static let places = """
        CREATE INDEX folder_parent ON folder (parent, name) WHERE parent IS NOT NULL;
        CREATE INDEX file_folder ON file (folder, name) WHERE folder IS NOT NULL;
        """
}
