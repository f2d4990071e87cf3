internal import FundCore

/// Tables and columns that came with later versions, by the number of their migration.
enum AddedColumns {
    static let fingerprintKey = """
        -- Under which key `message.fingerprint` and `email.fingerprint` are computed: one row. None in a store that had
        -- mail before there was a key: its fingerprints need none.
        CREATE TABLE fingerprint_key (id INTEGER PRIMARY KEY CHECK (id = 1), value BLOB NOT NULL) STRICT;
        """

    static let formerNames = """
        -- Whether a name was the fund's own before: such a one gives way to another fund of that name.
        ALTER TABLE fund_alias ADD COLUMN is_former INTEGER NOT NULL DEFAULT 0;
        """

    static let relays = """
        -- Whether the sender is a service that passes on mail of others, see `RelayedMail`, and who wrote it.
        ALTER TABLE misroute ADD COLUMN relay TEXT;
        ALTER TABLE misroute ADD COLUMN author TEXT;
        """

    static let tokenReach = """
        -- A `TokenReach`: that of app passwords of before is what they could do then.
        ALTER TABLE token ADD COLUMN reach TEXT NOT NULL DEFAULT '\(TokenReach.files.rawValue)';
        """

    static let keptFiles = """
        -- How many files the message brings. NULL where it was not read, until it is opened.
        ALTER TABLE misroute ADD COLUMN file_count INTEGER;
        """
}
