/// Letters on their way out, and what people chose to hear of.
enum OutboxSchema {
    static let script = letters + people

    /// `cause` is the id of what the letter is about: with the recipient it is unique, so that no person hears of it
    /// twice. `topic` is the reason of kept mail. `attempts` counts all attempts, `tries` those since the letter was
    /// queued or a person sent it again. `held_by` is the limit that kept the letter from being queued, and
    /// `held_count` the number of letters that it held back, those without a row included. `may_have_arrived` is set
    /// from the time on at which the letter was uncertain, whatever became of it later.
    private static let letters = table("outbox", mark: "TEXT NOT NULL UNIQUE") + indexes

    private static func table(_ name: String, mark: String) -> String {
        """
        CREATE TABLE \(name) (
            id INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, cause INTEGER NOT NULL, topic TEXT NOT NULL,
            recipient TEXT NOT NULL, mark \(mark), state TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, tries INTEGER NOT NULL DEFAULT 0, queued_at INTEGER NOT NULL,
            due_at INTEGER, changed_at INTEGER, note TEXT, held_by TEXT, held_count INTEGER NOT NULL DEFAULT 0,
            may_have_arrived INTEGER NOT NULL DEFAULT 0,
            UNIQUE (kind, cause, recipient), CHECK ((due_at IS NOT NULL) = (state IN ('queued', 'deferred')))
        ) STRICT;

        """
    }

    private static let indexes = """
        -- Those that wait, the next first.
        CREATE INDEX outbox_due ON outbox (due_at, queued_at) WHERE due_at IS NOT NULL;
        -- The others, for lists and for counting. (SQLite 3.40 reads a column of the condition from the table unless it
        -- stands in the index.)
        CREATE INDEX outbox_state ON outbox (state, id, changed_at, due_at) WHERE due_at IS NULL;
        CREATE INDEX outbox_recipient ON outbox (recipient);

        """

    private static let people = """
        -- See `ReceiptChoice`. NULL: that of the mailbox.
        ALTER TABLE "user" ADD COLUMN receipts TEXT;
        -- Whether mail from the address is answered although nothing proves its sender: an administrator says so.
        ALTER TABLE address ADD COLUMN is_answered INTEGER NOT NULL DEFAULT 0;
        -- The Message-ID of kept mail, which a letter about it answers.
        ALTER TABLE misroute ADD COLUMN internet_message_id TEXT;
        """

    /// Makes the table anew without the index on `mark`. Marks are random, so that the index took a third of SQLite's
    /// time for a letter, and 128 random bits are never the same. The numbers go on.
    static func dropMarkIndex(_ db: Database) throws {
        let last = try db.lastNumber(of: "outbox")
        let columns = """
            id, kind, cause, topic, recipient, mark, state, attempts, tries, queued_at, due_at, changed_at, note,
                held_by, held_count, may_have_arrived
            """
        try db.run(
            script: table("outbox_made_anew", mark: "TEXT NOT NULL") + """
                INSERT INTO outbox_made_anew (\(columns)) SELECT \(columns) FROM outbox;
                DROP TABLE outbox;
                ALTER TABLE outbox_made_anew RENAME TO outbox;

                """ + indexes + DigestSchema.outbox)
        try db.raiseLastNumber(of: "outbox", to: last)
    }
}
