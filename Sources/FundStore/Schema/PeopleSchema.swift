/// Users and their funds by all their names, how users log in, the audit trail, and what is counted of the store.
enum PeopleSchema {
    static let script = tables + accounts + audit + counters + directoryTriggers + accountTriggers

    private static let tables = """
        CREATE TABLE user (
            id INTEGER PRIMARY KEY, email TEXT NOT NULL UNIQUE, name TEXT,
            is_administrator INTEGER NOT NULL DEFAULT 0, is_disabled INTEGER NOT NULL DEFAULT 0,
            password TEXT, created_at INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE address (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user, address TEXT NOT NULL UNIQUE
        ) STRICT;
        CREATE INDEX address_user ON address (user_id);
        CREATE TABLE fund (
            id INTEGER PRIMARY KEY, owner_id INTEGER NOT NULL REFERENCES user, name TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER, archived_at INTEGER, deleted_at INTEGER
        ) STRICT;
        CREATE INDEX fund_owner ON fund (owner_id);
        CREATE TABLE fund_alias (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund, name TEXT NOT NULL
        ) STRICT;
        CREATE INDEX fund_alias_fund ON fund_alias (fund_id);
        -- Names and aliases of one owner's funds share one namespace, in the form in which tags are compared.
        CREATE TABLE fund_key (
            owner_id INTEGER NOT NULL REFERENCES user, key TEXT NOT NULL, fund_id INTEGER NOT NULL REFERENCES fund,
            PRIMARY KEY (owner_id, key)
        ) STRICT, WITHOUT ROWID;

        """

    /// Tokens, nonces and logins of users over HTTP.
    private static let accounts = """
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
        -- A link that sets a user's password once: of each user the latest alone.
        CREATE TABLE password_reset (
            user_id INTEGER PRIMARY KEY REFERENCES user, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            expires_at INTEGER NOT NULL
        ) STRICT;

        """

    /// The audit trail by time, and by time for each action and for each person and action, see `AuditList`.
    private static let audit = """
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            subject TEXT NOT NULL, detail TEXT NOT NULL
        ) STRICT;
        CREATE INDEX audit_at ON audit (at);
        CREATE INDEX audit_action ON audit (action, at);
        CREATE INDEX audit_actor ON audit (actor, action, at);

        """

    private static let counters = """
        -- Numbers of the whole store, by name.
        CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
        INSERT INTO counter VALUES ('directory', 0), ('account', 0);

        """

    /// Counts every change of what routing looks up, by whichever process, so that a snapshot of it can be kept.
    private static let directoryTriggers: String = {
        let triggers = ["user", "address", "fund", "fund_alias"].flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { event in
                """
                CREATE TRIGGER directory_\(table)_\(event.lowercased()) AFTER \(event) ON \(table)
                BEGIN UPDATE counter SET value = value + 1 WHERE name = 'directory'; END;

                """
            }
        }
        return triggers.joined()
    }()

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
