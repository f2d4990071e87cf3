/// The acts of administrators at the desk with what undoes them, and the rules that were learnt there.
enum DeskSchema {
    /// An act of a person is about any number of messages: a step for each, and one for each thing that was learnt. Of
    /// the making of a fund `desk_act.fund_id` is that fund. `desk_act.user_id` and `name` say about whom and what an
    /// act is that puts a cause right: a user, and an address or the name of a fund.
    ///
    /// Of a step, `fund_id`, `files` (a line with number and name for each) and `last_file_id` (of the whole store) say
    /// how a message was filed: what its owner did since is a difference from it. `user_before` is who its sender was
    /// taken to be. The email of a step that was undone is gone.
    ///
    /// `learnt.key` is the name as it is compared.
    static let script = """
        CREATE TABLE desk_act (
            id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, actor TEXT NOT NULL, kind TEXT NOT NULL,
            fund_id INTEGER REFERENCES fund, user_id INTEGER, name TEXT
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
        """
}
