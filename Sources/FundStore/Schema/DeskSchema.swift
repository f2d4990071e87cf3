import FundCore

/// Version 13: causes of kept mail, what administrators did at the desk and how it is undone, what was learnt there.
enum DeskSchema {
    static func migrate(_ db: Database) throws {
        try db.run(script: tables)
        let kept = try db.rows("SELECT id, reason, sender, tag, is_unverified FROM misroute")
        for row in kept {
            guard let reason = Reason(rawValue: row[1]) else { continue }
            let cause = MisrouteCause(reason: reason, sender: row[2], tag: row[3], isUnverified: row[4])
            try db.execute("UPDATE misroute SET cause = ? WHERE id = ?", [cause.key, row[0] as MisrouteRecord.ID])
        }
    }

    /// An act of a person is about any number of messages: a step for each, and one for each thing that was learnt.
    /// `fund_id`, `files` (a line with number and name for each) and `last_file_id` (of the whole store) say how a
    /// message was filed: what its owner did since is a difference from it. `user_before` is who its sender was taken
    /// to be. Of the making of a fund `fund_id` is that fund. The email of a step that was undone is gone. `learnt.key`
    /// is the name as it is compared.
    private static let tables = """
        ALTER TABLE misroute ADD COLUMN cause TEXT NOT NULL DEFAULT '';
        ALTER TABLE misroute ADD COLUMN put_off_until INTEGER;
        CREATE INDEX misroute_cause ON misroute (cause, put_off_until) WHERE resolution IS NULL;
        CREATE INDEX misroute_email ON misroute (email_id) WHERE email_id IS NOT NULL;
        CREATE INDEX misroute_resolved ON misroute (resolved_at) WHERE resolution IS NOT NULL;
        CREATE TABLE desk_act (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
            fund_id INTEGER REFERENCES fund
        ) STRICT;
        CREATE TABLE learnt (
            id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL, key TEXT NOT NULL,
            user_id INTEGER NOT NULL REFERENCES user, fund_id INTEGER REFERENCES fund,
            misroute_id INTEGER NOT NULL REFERENCES misroute, at INTEGER NOT NULL, actor TEXT NOT NULL,
            hits INTEGER NOT NULL DEFAULT 0, last_hit_at INTEGER, taken_back_at INTEGER, taken_back_by TEXT
        ) STRICT;
        CREATE INDEX learnt_key ON learnt (user_id, key) WHERE taken_back_at IS NULL;
        CREATE TABLE desk_step (
            id INTEGER PRIMARY KEY, act_id INTEGER NOT NULL REFERENCES desk_act,
            misroute_id INTEGER NOT NULL REFERENCES misroute, kind TEXT NOT NULL, email_id INTEGER,
            fund_id INTEGER, files TEXT, last_file_id INTEGER, user_before INTEGER, put_off_before INTEGER,
            learnt_id INTEGER REFERENCES learnt, undone_at INTEGER, undone_by TEXT
        ) STRICT;
        CREATE INDEX desk_step_act ON desk_step (act_id);
        CREATE INDEX desk_step_learnt ON desk_step (learnt_id) WHERE learnt_id IS NOT NULL;
        CREATE INDEX desk_step_misroute ON desk_step (misroute_id);
        -- Who wrote into which fund before, and where a conversation is.
        CREATE INDEX email_sender ON email (from_address COLLATE NOCASE, fund_id);
        CREATE INDEX email_message_id ON email (internet_message_id) WHERE internet_message_id IS NOT NULL;
        """
}
