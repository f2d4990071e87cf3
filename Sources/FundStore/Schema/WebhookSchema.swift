/// People's webhooks, and the messages to them.
enum WebhookSchema {
    /// `secret` and `former_secret` are sealed (`WebhookSeal`). `feed_epoch` and `feed_number` are a cursor of the
    /// owner's feed, behind the last change that is in a message; `history` is that of the store at this time. No
    /// attempt begins before `due_at`. `failures` counts attempts since one that succeeded.
    ///
    /// A message stands here with its body before it is sent, and one is `pending` for each webhook at most: the others
    /// are made when that has arrived.
    static let script = """
        CREATE TABLE webhook (
            id INTEGER PRIMARY KEY AUTOINCREMENT, user_id INTEGER NOT NULL REFERENCES "user", name TEXT NOT NULL,
            name_key TEXT NOT NULL, address TEXT NOT NULL, kinds TEXT NOT NULL, state TEXT NOT NULL,
            secret BLOB NOT NULL, former_secret BLOB, former_until INTEGER, feed_epoch INTEGER NOT NULL,
            feed_number INTEGER NOT NULL, history INTEGER NOT NULL, added_at INTEGER NOT NULL,
            due_at INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0, problem TEXT, detail TEXT,
            UNIQUE (user_id, name_key)
        ) STRICT;
        CREATE INDEX webhook_due ON webhook (due_at) WHERE state = 'on';
        CREATE TABLE webhook_delivery (
            id INTEGER PRIMARY KEY AUTOINCREMENT, webhook_id INTEGER NOT NULL REFERENCES webhook, mark TEXT NOT NULL,
            event TEXT NOT NULL, body TEXT NOT NULL, changes INTEGER NOT NULL, state TEXT NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0, added_at INTEGER NOT NULL, attempted_at INTEGER, status INTEGER,
            problem TEXT, milliseconds INTEGER
        ) STRICT;
        CREATE INDEX webhook_delivery_webhook ON webhook_delivery (webhook_id, id);
        CREATE UNIQUE INDEX webhook_delivery_pending ON webhook_delivery (webhook_id) WHERE state = 'pending';
        """
}
