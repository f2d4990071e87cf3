internal import FundCore

/// The feed of changes of each person.
///
/// Each person has a feed of their own with numbers of their own: two people's libraries have nothing in common that
/// both would write. A change is noted in `change_due` while a transaction runs, and goes into the feeds of those who
/// see it at the transaction's end (`ChangeFeed.publish`): the counters of people are the last rows that it locks, in
/// the ascending order of people, so a number is given in the order of the commits and no two transactions wait for
/// each other in a circle.
enum FeedSchema {
    /// The former feed was one for all people: its numbers stay what they are, and each person's go on behind the last
    /// of all, so that cursors of before hold.
    static func update(_ db: Database) throws {
        let last = try db.lastNumber(of: "change")
        for table in ["fund", "folder", "note"] { try dropTriggers(of: table, ["insert", "update"], db) }
        for table in ["file", "email"] { try dropTriggers(of: table, ["update"], db) }
        try db.run(script: tables + moved(from: last) + epochs + triggers)
    }

    private static func dropTriggers(of table: String, _ events: [String], _ db: Database) throws {
        for event in events { try db.run(script: "DROP TRIGGER change_\(table)_\(event)") }
    }

    private static let tables = """
        -- One for each person: `last` is the number of their latest change, and `indexed` that of the latest one that
        -- the search has.
        CREATE TABLE feed (
            user_id INTEGER PRIMARY KEY REFERENCES "user", last INTEGER NOT NULL, indexed INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX feed_unindexed ON feed (user_id) WHERE last > indexed;
        -- What changed in the transaction that runs: empty between transactions. It is told to all members of the fund,
        -- or to one of them alone (`user_id`). `departure`: 1 tells that person that the fund was given away, 2 that
        -- the item went into a fund of which they are no member.
        CREATE TABLE change_due (
            id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, item_id INTEGER NOT NULL, fund_id INTEGER NOT NULL,
            user_id INTEGER, departure INTEGER NOT NULL DEFAULT 0
        ) STRICT;

        """

    private static func moved(from last: Int64) -> String {
        """
        INSERT INTO feed (user_id, last, indexed)
            SELECT id, \(last), (SELECT value FROM counter WHERE name = 'search') FROM "user";
        DELETE FROM counter WHERE name = 'search';
        CREATE TABLE change_of_all (seq INTEGER, owner_id INTEGER, kind INTEGER, item_id INTEGER) STRICT;
        INSERT INTO change_of_all SELECT seq, owner_id, kind, item_id FROM change ORDER BY seq;
        DROP TABLE change;
        -- The latest change of each item for each person who sees it. Whether the item is still there is looked up when
        -- the feed is read.
        CREATE TABLE change (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL, seq INTEGER NOT NULL,
            kind INTEGER NOT NULL, item_id INTEGER NOT NULL, UNIQUE (kind, item_id, user_id)
        ) STRICT;
        INSERT INTO change (user_id, seq, kind, item_id)
            SELECT owner_id, seq, kind, item_id FROM change_of_all ORDER BY seq;
        CREATE INDEX change_user ON change (user_id, seq);
        DROP TABLE change_of_all;
        -- What left a person's library with a fund that was given away: changes of the former owner's, numbered with
        -- the others in `change`. `turn` counts how often the item was given away: the first names whose mail it was.
        -- It is 0 where the item went into another fund, and 1 in rows of a backup of before.
        CREATE TABLE departure_of_each (
            owner_id INTEGER NOT NULL REFERENCES "user", seq INTEGER NOT NULL, kind INTEGER NOT NULL,
            item_id INTEGER NOT NULL, turn INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (owner_id, seq)
        ) STRICT, WITHOUT ROWID;
        INSERT INTO departure_of_each (owner_id, seq, kind, item_id, turn)
            SELECT owner_id, seq, kind, item_id, row_number() OVER (PARTITION BY kind, item_id ORDER BY seq)
            FROM departure;
        DROP TABLE departure;
        ALTER TABLE departure_of_each RENAME TO departure;
        CREATE INDEX departure_item ON departure (kind, item_id, turn);

        """
    }

    /// `change_epoch.began_after` is a limit of numbers for all people: of an epoch of before the feeds were one for
    /// each it is the number after which that began, and -1 refuses all. The others have no such limit
    /// (`ChangeEpochs.noLimit`), but one for each person in `change_epoch_start`.
    private static let epochs = """
        -- The number of a person's latest change when an epoch began. A row is left out where it would say the same as
        -- that of the epoch before; without any the person had no changes.
        CREATE TABLE change_epoch_start (
            user_id INTEGER NOT NULL REFERENCES "user", epoch_id INTEGER NOT NULL, number INTEGER NOT NULL,
            PRIMARY KEY (user_id, epoch_id)
        ) STRICT, WITHOUT ROWID;

        """

    /// By triggers, so that no code can forget it; but for new emails and files, which come in batches and are noted by
    /// `ChangeFeed`: a statement with a trigger writes a journal of its own, and a message with two files took 50 µs
    /// longer instead of 10. (Statements on these tables must not say OR IGNORE or OR REPLACE: SQLite would take that
    /// over into the triggers.)
    private static let triggers: String = {
        let triggers = ItemKind.allCases.flatMap { kind in
            (kind == .email || kind == .file ? ["UPDATE"] : ["INSERT", "UPDATE"]).map { event in
                """
                CREATE TRIGGER change_\(kind.table)_\(event.lowercased()) AFTER \(event) ON \(kind.table) BEGIN
                    INSERT INTO change_due (kind, item_id, fund_id)
                    VALUES (\(kind.rawValue), new.id, \(kind == .fund ? "new.id" : "new.fund_id"));
                END;

                """
            }
        }
        // An item that goes into another fund leaves those who are members of the former one alone.
        let departures = ItemKind.inFunds.map { kind in
            """
            CREATE TRIGGER change_\(kind.table)_leave AFTER UPDATE OF fund_id ON \(kind.table)
            WHEN old.fund_id <> new.fund_id BEGIN
                INSERT INTO change_due (kind, item_id, fund_id, user_id, departure)
                SELECT \(kind.rawValue), new.id, old.fund_id, user_id, 2 FROM fund_member
                WHERE fund_id = old.fund_id AND NOT EXISTS (SELECT 1 FROM fund_member AS member
                    WHERE member.fund_id = new.fund_id AND member.user_id = fund_member.user_id);
            END;

            """
        }
        return (triggers + departures).joined()
    }()
}
