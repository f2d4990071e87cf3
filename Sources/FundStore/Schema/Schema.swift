/// Digests are 32-byte blobs, times seconds since 1970. What must happen once is unique here, not in the code's memory.
enum Schema {
    /// "FnMl": tells our database from others.
    static let applicationID: Int32 = 0x466E_4D6C

    static var migrations: Migrations {
        var migrations = Migrations()
        migrations.add("1") { db in
            try db.run(script: people + mail + kept + files + later + directoryCounter)
            try db.run(script: "PRAGMA application_id = \(applicationID)")
        }
        migrations.add("2") { db in try db.run(script: polling) }
        migrations.add("3") { db in try db.run(script: accounts) }
        migrations.add("4") { try LibrarySchema.migrate($0) }
        migrations.add("5") { db in try db.run(script: checksums) }
        migrations.add("6") { db in try db.run(script: unverifiedSenders) }
        migrations.add("7") { db in try db.run(script: sizeMismatch) }
        migrations.add("8") { db in
            try NameKeySchema.migrate(db)
            try db.run(script: LibrarySchema.searchByOwner)
        }
        migrations.add("9") { db in
            try db.run(script: LibrarySchema.changeEpochs)
            try ChangeEpochs.begin(db)
        }
        migrations.add("10") { try LibrarySchema.addVisits($0) }
        migrations.add("11") { db in try db.run(script: keptMailByUser) }
        migrations.add("12") { db in try db.run(script: LibrarySchema.orders) }
        migrations.add("13") { try DeskSchema.migrate($0) }
        migrations.add("14") { db in try db.run(script: auditOrders) }
        migrations.add("15") { db in try db.run(script: passwordResets) }
        migrations.add("16") { db in try db.run(script: LibrarySchema.departures) }
        migrations.add("17") { try HealthSchema.migrate($0) }
        migrations.add("18") { db in try db.run(script: causesAndFailures) }
        return migrations
    }

    private static let people = """
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
            created_at INTEGER NOT NULL, archived_at INTEGER
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

    private static let mail = """
        -- One row for each distinct raw message that was taken in.
        CREATE TABLE message (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            fingerprint BLOB NOT NULL, size INTEGER NOT NULL, outcome TEXT NOT NULL, reason TEXT,
            mailbox TEXT, place TEXT NOT NULL, received_at INTEGER NOT NULL, raw_dropped_at INTEGER
        ) STRICT;
        CREATE INDEX message_kept ON message (fingerprint) WHERE outcome <> 'filed';
        CREATE TABLE email (
            id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL UNIQUE REFERENCES message,
            fingerprint BLOB NOT NULL UNIQUE, user_id INTEGER NOT NULL REFERENCES user,
            fund_id INTEGER NOT NULL REFERENCES fund, subject TEXT, from_address TEXT, sent_at INTEGER,
            internet_message_id TEXT, defects TEXT NOT NULL, received_at INTEGER NOT NULL, source TEXT NOT NULL,
            text TEXT, html TEXT
        ) STRICT;
        CREATE INDEX email_fund ON email (fund_id);
        CREATE TABLE blob (
            id INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32), size INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE attachment (
            id INTEGER PRIMARY KEY, email_id INTEGER NOT NULL REFERENCES email,
            blob_id INTEGER NOT NULL REFERENCES blob, sent_name TEXT, display_name TEXT NOT NULL,
            content_type TEXT NOT NULL, size INTEGER NOT NULL, is_inline INTEGER NOT NULL, content_id TEXT,
            part_path TEXT NOT NULL
        ) STRICT;
        CREATE INDEX attachment_email ON attachment (email_id);
        CREATE TABLE mailbox (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, uid_validity INTEGER, last_polled_at INTEGER
        ) STRICT;
        -- One for each message seen at a source; on servers each place once.
        CREATE TABLE delivery (
            id INTEGER PRIMARY KEY, mailbox TEXT, place TEXT NOT NULL, digest BLOB NOT NULL,
            message_id INTEGER NOT NULL REFERENCES message, outcome TEXT NOT NULL, reason TEXT, at INTEGER NOT NULL
        ) STRICT;
        CREATE UNIQUE INDEX delivery_place ON delivery (mailbox, place) WHERE mailbox IS NOT NULL;

        """

    private static let kept = """
        CREATE TABLE misroute (
            id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL UNIQUE REFERENCES message, outcome TEXT NOT NULL,
            reason TEXT NOT NULL, detail TEXT, sender TEXT, user_id INTEGER REFERENCES user, subject TEXT, tag TEXT,
            suggestions TEXT NOT NULL, trust TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 1,
            resolution TEXT, resolved_at INTEGER, resolved_by TEXT, note TEXT, email_id INTEGER REFERENCES email
        ) STRICT;
        CREATE INDEX misroute_open ON misroute (id) WHERE resolution IS NULL;

        """

    private static let files = """
        CREATE TABLE folder (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund, parent_id INTEGER REFERENCES folder,
            name TEXT NOT NULL, name_key TEXT NOT NULL, created_at INTEGER NOT NULL, deleted_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX folder_name ON folder (fund_id, ifnull(parent_id, 0), name_key) WHERE deleted_at IS NULL;
        CREATE TABLE file (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund, folder_id INTEGER REFERENCES folder,
            name TEXT NOT NULL, name_key TEXT NOT NULL, blob_id INTEGER NOT NULL REFERENCES blob,
            attachment_id INTEGER REFERENCES attachment, size INTEGER NOT NULL, content_type TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, deleted_at INTEGER
        ) STRICT;
        CREATE UNIQUE INDEX file_name ON file (fund_id, ifnull(folder_id, 0), name_key) WHERE deleted_at IS NULL;
        CREATE TABLE note (
            id INTEGER PRIMARY KEY, fund_id INTEGER NOT NULL REFERENCES fund,
            user_id INTEGER NOT NULL REFERENCES user, title TEXT NOT NULL, body TEXT NOT NULL,
            created_at INTEGER NOT NULL, modified_at INTEGER NOT NULL, deleted_at INTEGER
        ) STRICT;
        CREATE INDEX note_fund ON note (fund_id);

        """

    private static let later = """
        CREATE TABLE token (
            id INTEGER PRIMARY KEY, user_id INTEGER NOT NULL REFERENCES user, digest BLOB NOT NULL UNIQUE,
            created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL, revoked_at INTEGER
        ) STRICT;
        CREATE TABLE audit (
            id INTEGER PRIMARY KEY, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
            subject TEXT NOT NULL, detail TEXT NOT NULL
        ) STRICT;

        """

    /// Version 2. No version 1 ever wrote a row of `mailbox`.
    private static let polling = """
        ALTER TABLE message ADD COLUMN is_header_only INTEGER NOT NULL DEFAULT 0;
        -- What the server said of its size; when it was seen to be gone; whether nothing but its header was fetched.
        ALTER TABLE delivery ADD COLUMN announced_bytes INTEGER;
        ALTER TABLE delivery ADD COLUMN departed_at INTEGER;
        ALTER TABLE delivery ADD COLUMN is_header_only INTEGER NOT NULL DEFAULT 0;
        DROP TABLE mailbox;
        CREATE TABLE mailbox (
            id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, address TEXT, last_attempt_at INTEGER,
            last_success_at INTEGER, last_error_at INTEGER, last_error TEXT,
            consecutive_failures INTEGER NOT NULL DEFAULT 0, waiting INTEGER NOT NULL DEFAULT 0,
            oldest_waiting_at INTEGER, runs INTEGER NOT NULL DEFAULT 0, filed INTEGER NOT NULL DEFAULT 0,
            misrouted INTEGER NOT NULL DEFAULT 0, rejected INTEGER NOT NULL DEFAULT 0,
            duplicate INTEGER NOT NULL DEFAULT 0, failed INTEGER NOT NULL DEFAULT 0, bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        """

    /// Version 3. Tokens, nonces and logins of users over HTTP. The table of tokens of version 1 never had a row.
    private static let accounts =
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

    /// Version 5. Computed at the first request for them, not while mail or an upload is stored.
    private static let checksums = """
        ALTER TABLE blob ADD COLUMN md5 BLOB;
        ALTER TABLE blob ADD COLUMN sha1 BLOB;
        """

    /// Version 6. Mail kept by earlier versions counts as unverified unless an administrator vouched for its sender.
    private static let unverifiedSenders = """
        ALTER TABLE misroute ADD COLUMN is_unverified INTEGER NOT NULL DEFAULT 0;
        UPDATE misroute SET is_unverified = 1 WHERE reason = 'unknown_sender' AND trust <> 'vouched';
        """

    /// Version 7. The server gave another number of bytes than it announced: its copy is left alone, and not fetched
    /// again while it announces the same number.
    private static let sizeMismatch = "ALTER TABLE delivery ADD COLUMN has_size_mismatch INTEGER NOT NULL DEFAULT 0;"

    /// Version 11. A user's own mail that was not filed, see `MailLibrary.received`.
    private static let keptMailByUser =
        "CREATE INDEX misroute_user ON misroute (user_id) WHERE user_id IS NOT NULL;"

    /// Version 14. The audit trail by time, and by time for each action and for each person and action, see
    /// `AuditList`.
    private static let auditOrders = """
        CREATE INDEX audit_at ON audit (at);
        CREATE INDEX audit_action ON audit (action, at);
        CREATE INDEX audit_actor ON audit (actor, action, at);
        """

    /// Version 15. A link that sets a user's password once: of each user the latest alone.
    private static let passwordResets = """
        CREATE TABLE password_reset (
            user_id INTEGER PRIMARY KEY REFERENCES user, digest BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),
            expires_at INTEGER NOT NULL
        ) STRICT;
        """

    /// Version 18.
    private static let causesAndFailures = """
        -- About whom and what an act is that puts a cause right: a user, and an address or the name of a fund.
        ALTER TABLE desk_act ADD COLUMN user_id INTEGER;
        ALTER TABLE desk_act ADD COLUMN name TEXT;
        -- When the first of the failed runs of `consecutive_failures` ended; where runs failed before this version, the
        -- last one.
        ALTER TABLE mailbox ADD COLUMN failing_since INTEGER;
        UPDATE mailbox SET failing_since = last_error_at WHERE consecutive_failures > 0;
        """

    /// Counts every change of what routing looks up, by whichever process, so that a snapshot of it can be kept.
    private static let directoryCounter: String = {
        let events = ["user", "address", "fund", "fund_alias"].flatMap { table in
            ["INSERT", "UPDATE", "DELETE"].map { event in
                """
                CREATE TRIGGER directory_\(table)_\(event.lowercased()) AFTER \(event) ON \(table)
                BEGIN UPDATE counter SET value = value + 1 WHERE name = 'directory'; END;

                """
            }
        }
        return """
            CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
            INSERT INTO counter VALUES ('directory', 0);

            """ + events.joined()
    }()
}
