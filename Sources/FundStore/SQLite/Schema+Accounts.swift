extension Schema {
    /// Tokens, nonces and logins of users over HTTP. The table of tokens of version 1 never had a row.
    static let accounts =
        """
        DROP TABLE token;
        CREATE TABLE token (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user, kind TEXT NOT NULL, label TEXT NOT NULL,
            digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), sealed BLOB, created_at INTEGER NOT NULL,
            expires_at INTEGER, last_used_at INTEGER, revoked_at INTEGER
        ) STRICT;
        CREATE INDEX token_user ON token (user_id, kind, expires_at);
        CREATE TABLE nonce (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user, nonce TEXT NOT NULL,
            until INTEGER NOT NULL, UNIQUE (user_id, nonce)
        ) STRICT;
        CREATE INDEX nonce_until ON nonce (user_id, until);
        -- Logins with one name from one network. The name is a keyed hash, whether or not there is such a user.
        CREATE TABLE login (
            name TEXT NOT NULL, address TEXT NOT NULL, failures INTEGER NOT NULL, failed_at INTEGER NOT NULL,
            succeeded_at INTEGER NOT NULL, forget_at INTEGER NOT NULL, PRIMARY KEY (name, address)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX login_address ON login (address);
        CREATE INDEX login_forget ON login (forget_at);
        INSERT INTO counter VALUES ('account', 0);

        """ + accountTriggers

    /// Counts every change that an answer about accounts depends on, by whichever process, so that answers can be kept.
    private static let accountTriggers = [
        "INSERT ON user", "UPDATE ON user", "DELETE ON user", "INSERT ON address", "UPDATE ON address",
        "DELETE ON address", "INSERT ON token", "UPDATE OF revoked_at ON token", "DELETE ON token",
    ].enumerated().map { index, event in
        """
        CREATE TRIGGER account_change_\(index) AFTER \(event)
        BEGIN UPDATE counter SET value = value + 1 WHERE name = 'account'; END;

        """
    }.joined()
}
