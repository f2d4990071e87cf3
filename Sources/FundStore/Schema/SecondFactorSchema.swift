/// Passkeys, authenticator apps and recovery codes of users.
enum SecondFactorSchema {
    static let script = tables + triggers + RowCheckSchema.script(of: ["passkey"])

    /// `passkey.credential` is the id by which the device knows it, `counter` how many signatures the device counts.
    /// `code_app.sealed` is encrypted with a key outside of the database; the code of `last_step` was taken, and those
    /// of earlier steps are not taken any more.
    private static let tables = """
        CREATE TABLE passkey (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES "user", credential BLOB NOT NULL UNIQUE,
            algorithm INTEGER NOT NULL, public_key BLOB NOT NULL, counter INTEGER NOT NULL, name TEXT NOT NULL,
            created_at INTEGER NOT NULL, last_used_at INTEGER
        ) STRICT;
        CREATE INDEX passkey_user ON passkey (user_id);
        CREATE TABLE code_app (
            user_id INTEGER PRIMARY KEY REFERENCES "user", sealed BLOB NOT NULL, last_step INTEGER NOT NULL,
            created_at INTEGER NOT NULL
        ) STRICT;
        -- Used ones stay, so that who has used up all of them is still asked for one.
        CREATE TABLE recovery_code (
            user_id INTEGER NOT NULL REFERENCES "user", digest BLOB NOT NULL CHECK (length(digest) = 32),
            used_at INTEGER, PRIMARY KEY (user_id, digest)
        ) STRICT, WITHOUT ROWID;
        -- That an administrator took the second factors of a user away, until that user is told.
        CREATE TABLE factor_notice (
            user_id INTEGER PRIMARY KEY REFERENCES "user", at INTEGER NOT NULL
        ) STRICT;

        """

    /// Answers about accounts depend on them, too, see `PeopleSchema`.
    private static let triggers = ["passkey", "code_app", "recovery_code"].flatMap { table in
        ["INSERT", "DELETE"].map { event in
            """
            CREATE TRIGGER account_\(table)_\(event.lowercased()) AFTER \(event) ON \(table)
            BEGIN UPDATE counter SET value = value + 1 WHERE name = 'account'; END;

            """
        }
    }.joined()
}
