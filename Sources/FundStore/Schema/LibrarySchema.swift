internal import FundCore

/// The things that users have: folders, files and notes, deletions that can be undone, favourites, properties of
/// clients, how far they have seen their funds, the feed of changes, and the search index. Emails stand in
/// `MailSchema`.
enum LibrarySchema {
    static let script = items + marks + changes + changeTriggers + search

    /// The files of a place by their bytes: those with the same ones are found without a look at what other places have
    /// of them, such as a logo. The folder stands first as in the indexes of `items`.
    static let contents = """
        CREATE INDEX file_content ON file (ifnull(folder_id, 0), fund_id, blob_id) WHERE deleted_at IS NULL;
        """

    /// The files of a place by time and by size (`file_name` has them by name): a page of ten thousand files is read
    /// without reading all of them. Each index ends in the row's id by itself, so that equal times need no sorting. The
    /// folder stands first: else SQLite would take these for all files of a fund, too, and read their rows in an order
    /// that the table lacks.
    private static let items = """
        CREATE TABLE folder (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund, parent_id INTEGER REFERENCES folder,
            name TEXT NOT NULL, name_key TEXT NOT NULL, created_at INTEGER NOT NULL, modified_at INTEGER,
            deleted_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX folder_name ON folder (fund_id, ifnull(parent_id, 0), name_key) WHERE deleted_at IS NULL;
        -- What lies in a folder, deleted things, too.
        CREATE INDEX folder_parent ON folder (parent_id) WHERE parent_id IS NOT NULL;
        CREATE TABLE file (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund, folder_id INTEGER REFERENCES folder,
            name TEXT NOT NULL, name_key TEXT NOT NULL, blob_id INTEGER NOT NULL REFERENCES blob,
            attachment_id INTEGER REFERENCES attachment, size INTEGER NOT NULL, content_type TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, deleted_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX file_name ON file (fund_id, ifnull(folder_id, 0), name_key) WHERE deleted_at IS NULL;
        -- What lies in a folder, and what needs a blob or an attachment: deleted things, too.
        CREATE INDEX file_folder ON file (folder_id) WHERE folder_id IS NOT NULL;
        CREATE INDEX file_blob ON file (blob_id);
        CREATE INDEX file_attachment ON file (attachment_id) WHERE attachment_id IS NOT NULL;
        -- The files that are there, for counting: those that did not come by mail in the order of their ids. (SQLite
        -- 3.40 reads a column of the condition from the table unless it stands in the index.)
        CREATE INDEX file_live ON file (fund_id, attachment_id, deleted_at) WHERE deleted_at IS NULL;
        CREATE INDEX file_modified ON file (ifnull(folder_id, 0), fund_id, modified_at) WHERE deleted_at IS NULL;
        CREATE INDEX file_size ON file (ifnull(folder_id, 0), fund_id, size) WHERE deleted_at IS NULL;
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund,
            user_id INTEGER NOT NULL REFERENCES user, title TEXT NOT NULL, body TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, deleted_at INTEGER
        ) STRICT;
        CREATE INDEX note_fund ON note (fund_id, modified_at);

        """

    private static let marks = """
        -- One for each thing that is deleted; the root is what a user deleted, the others went with it. That an email
        -- is deleted stands only here: a column behind its body would have the whole body read. What is purged stays as
        -- a mark where others must go on knowing it: emails and notes.
        CREATE TABLE deletion (
            kind INTEGER NOT NULL, item_id INTEGER NOT NULL, owner_id INTEGER NOT NULL REFERENCES user,
            at INTEGER NOT NULL, root_kind INTEGER NOT NULL, root_id INTEGER NOT NULL, purged_at INTEGER,
            PRIMARY KEY (kind, item_id)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX deletion_root ON deletion (root_kind, root_id);
        CREATE INDEX deletion_owner ON deletion (owner_id, at);
        CREATE INDEX deletion_age ON deletion (at) WHERE purged_at IS NULL;
        CREATE TABLE favourite (
            user_id INTEGER NOT NULL REFERENCES user, kind INTEGER NOT NULL, item_id INTEGER NOT NULL,
            PRIMARY KEY (user_id, kind, item_id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE property (
            kind INTEGER NOT NULL, item_id INTEGER NOT NULL, name TEXT NOT NULL, value TEXT NOT NULL,
            PRIMARY KEY (kind, item_id, name)
        ) STRICT, WITHOUT ROWID;
        -- How far each user has seen their funds: what is here by now is not new. Ids say it, which are given in the
        -- order in which things come.
        CREATE TABLE visit (
            user_id INTEGER NOT NULL REFERENCES user, fund_id INTEGER NOT NULL REFERENCES fund,
            at INTEGER NOT NULL, last_email_id INTEGER NOT NULL, last_file_id INTEGER NOT NULL,
            PRIMARY KEY (user_id, fund_id)
        ) STRICT, WITHOUT ROWID;

        """

    /// The latest change of each item. Whether the item is still there is looked up when the feed is read. By triggers,
    /// so that no code can forget it; but for new emails and files, which come in batches: a statement with a trigger
    /// writes a journal of its own, and a message with two files took 50 µs longer instead of 10. Those are noted by
    /// `ChangeFeed`. (Statements on these tables must not say OR IGNORE or OR REPLACE: SQLite would take that over into
    /// the triggers.)
    ///
    /// One connection writes at a time, so numbers are given in the order of the commits, wherever in a transaction a
    /// trigger runs. Where transactions write side by side, the statement that numbers changes has to be the last one.
    private static let changes = """
        CREATE TABLE change (
            seq INTEGER PRIMARY KEY AUTOINCREMENT, owner_id INTEGER NOT NULL, kind INTEGER NOT NULL,
            item_id INTEGER NOT NULL, UNIQUE (kind, item_id)
        ) STRICT;
        CREATE INDEX change_owner ON change (owner_id);
        -- See `ChangeEpochs`.
        CREATE TABLE change_epoch (
            id INTEGER PRIMARY KEY AUTOINCREMENT, tag INTEGER NOT NULL UNIQUE, began_after INTEGER NOT NULL
        ) STRICT;
        -- What left a user's library with a fund that was given away: changes of the former owner's, numbered with the
        -- others in `change`, where the item is the new owner's. The first of an email names whose mail it was.
        CREATE TABLE departure (
            owner_id INTEGER NOT NULL REFERENCES user, seq INTEGER NOT NULL, kind INTEGER NOT NULL,
            item_id INTEGER NOT NULL, PRIMARY KEY (owner_id, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX departure_item ON departure (kind, item_id, seq);
        CREATE INDEX departure_seq ON departure (seq);

        """

    private static let changeTriggers: String = {
        let tables: [(name: String, kind: ItemKind, owner: String)] = [
            ("fund", .fund, "new.owner_id"),
            ("folder", .folder, "(SELECT owner_id FROM fund WHERE id = new.fund_id)"),
            ("file", .file, "(SELECT owner_id FROM fund WHERE id = new.fund_id)"),
            ("email", .email, "new.user_id"),
            ("note", .note, "new.user_id"),
        ]
        let triggers = tables.flatMap { table in
            (table.kind == .email || table.kind == .file ? ["UPDATE"] : ["INSERT", "UPDATE"]).map { event in
                """
                CREATE TRIGGER change_\(table.name)_\(event.lowercased()) AFTER \(event) ON \(table.name) BEGIN
                    INSERT OR REPLACE INTO change (owner_id, kind, item_id)
                    VALUES (\(table.owner), \(table.kind.rawValue), new.id);
                END;

                """
            }
        }
        return triggers.joined()
    }()

    /// Which words occur in which document; nothing but that: no positions and no text, so a document cannot be taken
    /// out again. One that changes is indexed anew under the next number, and the old number then leads nowhere. Words
    /// come in as `SearchWords` makes them; see there why `ascii`. They stand under their owners
    /// (`SearchDocument.owner`), which takes two characters. Short prefixes are indexed, longer ones have few words.
    private static let search = """
        CREATE TABLE search_item (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL, item_id INTEGER NOT NULL,
            fund_id INTEGER NOT NULL, mark INTEGER NOT NULL, UNIQUE (kind, item_id)
        ) STRICT;
        CREATE VIRTUAL TABLE search_words USING fts5(
            words, content = '', columnsize = 0, detail = none, tokenize = 'ascii', prefix = '3 4 5 6 7 8');
        -- The latest change that is indexed.
        INSERT INTO counter VALUES ('search', 0);
        """
}
