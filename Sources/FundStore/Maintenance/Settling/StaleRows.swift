import FundCore

/// Rows that came from a backup in the place of lost ones. Those that their checksums prove to be what was written last
/// stay as they are. Of the others it is not known what was done since: a token may have been revoked, a user disabled,
/// an address given to another user. They come back disabled, revoked or left out, so that no person signs in and no
/// mail is filed by them, until an administrator decides at the command line.
struct StaleRows {
    let db: Database
    let losses: [TableLoss]
    private(set) var notes: [RepairNote] = []

    /// Settles the rows. Other rows are derived of these later.
    mutating func settle() throws {
        let removed = try losses.reduce(0) { try $0 + removeRemoved($1.table) }
        if removed > 0 { notes.add("rows that were removed since the backup stay away: \(removed)", isWhole: true) }
        try disableUsers()
        try dropAddresses()
        try unmarkAddresses()
        try revokeTokens()
        try endFactors()
        try takeLessonsBack()
        try tellOfContacts()
    }

    /// Whether all checksums are there: without them no row can be told to have been removed.
    private var hasAllChecks: Bool { !losses.concern("row_check") }

    private func removeRemoved(_ table: String) throws -> Int {
        guard hasAllChecks else { return 0 }
        return try losses.doubts(of: table, db).filter(\.isRemoved).reduce(0) { count, doubt in
            try count + db.execute("DELETE FROM main.\(Database.quoted(table)) WHERE id = ?", [doubt.row])
        }
    }

    /// Runs `sql` for each doubtful row of a table, with its id as `?1`, and gives the first column of what it returns.
    private func change(_ table: String, _ sql: String) throws -> [String] {
        try losses.doubts(of: table, db).compactMap { try db.value(sql, [$0.row]) }
    }

    private mutating func disableUsers() throws {
        let users = try change(
            "user",
            """
            UPDATE main."user" SET is_disabled = 1, is_administrator = 0, password = NULL WHERE id = ?1
            RETURNING email
            """)
        guard let first = users.first else { return }
        notes.add(
            "\(users.joined(separator: ", ")): as in the backup, and changed since or not proved to be the same, "
                + "so disabled, without password and role. Look at each (`fundmail user list`), then "
                + "`fundmail user enable \(first)`, `fundmail user passwd \(first)`, and for an administrator "
                + "`fundmail user change \(first) --admin`")
    }

    /// The address by which a user is called stays theirs.
    private mutating func dropAddresses() throws {
        let dropped = try change(
            "address",
            """
            DELETE FROM main.address WHERE id = ?1
                AND NOT EXISTS (SELECT 1 FROM main."user" WHERE "user".id = user_id AND email = address)
            RETURNING address || ' of ' || coalesce((SELECT email FROM main."user" WHERE id = user_id), 'nobody')
            """)
        try registerNames()
        guard !dropped.isEmpty else { return }
        notes.add(
            "\(dropped.joined(separator: ", ")): these addresses may be of others by now and are left out, mail "
                + "from them waits at the desk; `fundmail user address add EMAIL ADDRESS` registers one again")
    }

    /// Takes the marks of addresses away whose mail was answered without proof, since checksums do not cover them.
    private mutating func unmarkAddresses() throws {
        let marked = try db.rows("SELECT id, address FROM main.address WHERE is_answered = 1") {
            (id: $0[0] as Int64, address: $0[1] as String)
        }.filter { losses.contain($0.id, of: "address") }
        for row in marked { try db.execute("UPDATE main.address SET is_answered = 0 WHERE id = ?", [row.id]) }
        guard !marked.isEmpty else { return }
        notes.add(
            "\(marked.map(\.address).joined(separator: ", ")): mail from these addresses was to be answered without "
                + "proof of the sender when the backup was made, and is not any more")
    }

    /// Adds the address by which they are called to people whose rows are newer than the backup.
    private func registerNames() throws {
        guard losses.concern("address") else { return }
        let rows: [Int64] = try db.values(
            """
            INSERT INTO main.address (user_id, address) SELECT id, email FROM main."user"
            WHERE NOT EXISTS (SELECT 1 FROM main.address WHERE address = email) RETURNING id
            """)
        try RowChecks.accept(rows.map { RowChecks.Change(table: "address", row: $0, isMissing: false) }, db)
    }

    private mutating func revokeTokens() throws {
        let revoked = try change(
            "token",
            """
            UPDATE main.token SET revoked_at = coalesce(revoked_at, \(Timestamp.now.rawValue)), sealed = NULL
            WHERE id = ?1 RETURNING kind
            """)
        // None has a checksum, and none is needed: who asked for one asks again.
        if losses.concern("password_reset") {
            try db.execute("DELETE FROM main.password_reset")
        }
        guard losses.concern("token") else { return }
        let missing: [Int64] = try db.values(
            """
            DELETE FROM row_check WHERE name = 'token' AND NOT EXISTS (SELECT 1 FROM main.token WHERE id = row_id)
            RETURNING row_id
            """)
        try RowChecks.accept(
            losses.doubts(of: "token", db).map { RowChecks.Change(table: "token", row: $0.row, isMissing: false) }, db)
        guard revoked.count + missing.count > 0 else { return }
        notes.add(
            "\(revoked.count + missing.count) sessions, app passwords and tokens of devices are newer than the backup "
                + "or may have been ended since: they do not count any more, and people sign in again", isWhole: true)
    }

    /// Deletes passkeys that may have been removed since the backup, and marks all recovery codes as used.
    private mutating func endFactors() throws {
        let passkeys = try change("passkey", "DELETE FROM main.passkey WHERE id = ?1 RETURNING name")
        if losses.concern("passkey") {
            try db.execute(
                """
                DELETE FROM row_check
                WHERE name = 'passkey' AND NOT EXISTS (SELECT 1 FROM main.passkey WHERE id = row_id)
                """)
        }
        var codes = 0
        if losses.concern("recovery_code") {
            codes = try db.execute(
                "UPDATE main.recovery_code SET used_at = ? WHERE used_at IS NULL", [Timestamp.now])
        }
        guard passkeys.count + codes > 0 else { return }
        notes.add(
            "\(passkeys.count) passkeys and \(codes) recovery codes are as in the backup, and may have been removed or "
                + "used since: they do not count any more. Who cannot sign in without them needs "
                + "`fundmail user second-factor remove EMAIL`", isWhole: true)
    }

    /// People see by themselves whether an address is the one that they know.
    private mutating func tellOfContacts() throws {
        let contacts = try losses.doubts(of: "contact", db).count
        guard contacts > 0 else { return }
        notes.add("\(contacts) contacts of people are as in the backup, and may have been changed or deleted since")
    }

    private mutating func takeLessonsBack() throws {
        let taken = try change(
            "learnt",
            """
            UPDATE main.learnt SET taken_back_at = coalesce(taken_back_at, \(Timestamp.now.rawValue)) WHERE id = ?1
            RETURNING name
            """)
        guard !taken.isEmpty else { return }
        notes.add(
            "rules learnt for \(taken.joined(separator: ", ")) may have been taken back since the backup: they "
                + "count as taken back, and are learnt again at the desk (`fundmail misrouted assign … --remember`)")
    }
}
