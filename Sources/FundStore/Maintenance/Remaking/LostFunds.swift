import FundCore

/// Funds whose rows could not be read and are not proved: whose they are and what they are called is asked of all that
/// was not lost. A fund without a witness, or whose witnesses contradict each other, is held: an administrator
/// gives it to its owner.
struct LostFunds {
    /// The disabled user to whom such funds belong, whom no mail comes from (RFC 2606).
    static let nobody = "nobody@fundmail.invalid"

    let db: Database
    let losses: [TableLoss]
    private(set) var notes: [RepairNote] = []

    /// Settles owners and names. `temp.known` is filled by then and rows of the backup are there, and items, which are
    /// settled by funds, come later.
    mutating func settle() throws {
        guard losses.concern("fund") else { return }
        try remake()
        try nameOwners()
        try settleNames()
    }

    private static func help(_ name: String) -> String {
        "nothing that is left says whose it is, and nobody gets at it before an administrator gives it to its owner, "
            + "`fundmail fund give \"\(name)\" --owner \(nobody) --to EMAIL`"
    }

    // MARK: Newer than the backup

    /// Makes the rows again of funds that other rows and indexes name.
    private mutating func remake() throws {
        let missing: [Fund.ID] = try db.values(
            """
            SELECT DISTINCT fund_id FROM (
                SELECT fund_id FROM main.file UNION SELECT fund_id FROM main.folder UNION SELECT fund_id FROM main.email
                UNION SELECT fund_id FROM main.note UNION SELECT fund_id FROM main.fund_key
                UNION SELECT fund_id FROM main.fund_member
                UNION SELECT fund_id FROM temp.known WHERE fund_id IS NOT NULL
                UNION SELECT id FROM temp.known WHERE kind = \(ItemKind.fund.rawValue)
                UNION SELECT item_id FROM main.change WHERE kind = \(ItemKind.fund.rawValue))
            WHERE fund_id NOT IN (SELECT id FROM main.fund) ORDER BY fund_id
            """
        ).filter { (id: Fund.ID) in losses.contain(id.rawValue, of: "fund") }
        for id in missing {
            let owner = try owner(of: id) ?? nobody()
            let deletedAt: Timestamp? = try db.value(
                "SELECT at FROM main.deletion WHERE kind = \(ItemKind.fund.rawValue) AND item_id = ?", [id])
            let name = try name(of: id, owner) ?? "Fund \(id)"
            try db.execute(
                "INSERT INTO main.fund (id, owner_id, name, created_at, deleted_at) VALUES (?, ?, ?, ?, ?)",
                [id, owner, name, Timestamp.now, deletedAt])
            let email = try email(of: owner)
            notes.add(
                "fund \(id) is newer than the backup, and made again as “\(name)” of \(email)"
                    + (email == Self.nobody ? ": \(Self.help(name))" : ""))
        }
    }

    /// The key under which tags find it, with capital letters where its checksum proves them; nil where it has none.
    private func name(of fund: Fund.ID, _ owner: User.ID) throws -> String? {
        let aliases: [String] = try db.values("SELECT name FROM main.fund_alias WHERE fund_id = ?", [fund])
        let known = Set(aliases.map(FundName.key))
        let keys: [String] = try db.values("SELECT key FROM main.fund_key WHERE fund_id = ? ORDER BY key", [fund])
        guard let key = keys.first(where: { !known.contains($0) }) else { return nil }
        return try LostNames.likely(key, FundName.key).first {
            try RowChecks.prove("fund", fund.rawValue, [owner, $0, nil, nil], db)
        } ?? key
    }

    /// Funds that are in use are found by their names: one without a key was archived, unless it was deleted, and one
    /// with another key was renamed.
    private mutating func settleNames() throws {
        guard !losses.concern("fund_key") else { return }
        for id in try doubtful() {
            guard let row = try db.row("SELECT owner_id, name FROM main.fund WHERE id = ?", [id]) else { continue }
            let (owner, old): (User.ID, String) = (row[0], row[1])
            let keys: [String] = try db.values("SELECT key FROM main.fund_key WHERE fund_id = ?", [id])
            if let name = try name(of: id, owner), FundName.key(name) != FundName.key(old) {
                try db.execute("UPDATE main.fund SET name = ? WHERE id = ?", [name, id])
                notes.add("fund \(id), which was “\(old)”, was renamed since the backup: it is called “\(name)” now")
            }
            try db.execute(
                """
                UPDATE main.fund SET archived_at = CASE WHEN ?2 = 1 THEN NULL WHEN deleted_at IS NULL THEN
                    coalesce(archived_at, ?3) ELSE archived_at END WHERE id = ?1
                """, [id, !keys.isEmpty, Timestamp.now])
        }
    }

    /// Funds that no checksum proves.
    private func doubtful() throws -> [Fund.ID] {
        try losses.doubts(of: "fund", db).map { Fund.ID($0.row) }
    }

    // MARK: Owners

    private mutating func nameOwners() throws {
        var given: [String] = []
        for id in try doubtful() {
            guard let row = try db.row("SELECT owner_id, name FROM main.fund WHERE id = ?", [id]) else { continue }
            let (old, name): (User.ID, String) = (row[0], row[1])
            if let owner = try owner(of: id) {
                guard owner != old else { continue }
                try db.execute("UPDATE main.fund SET owner_id = ? WHERE id = ?", [owner, id])
                given.append("\(name) to \(try email(of: owner))")
            } else if try email(of: old) != Self.nobody {
                try db.execute("UPDATE main.fund SET owner_id = ? WHERE id = ?", [nobody(), id])
                notes.add(
                    "fund \(id), “\(name)”, was of \(try email(of: old)) when the backup was made: \(Self.help(name))")
            }
        }
        guard !given.isEmpty else { return }
        notes.add("funds that were given away since the backup: \(given.joined(separator: ", "))", isWhole: true)
    }

    /// The owner whom the checksum proves, or on whom everything left agrees; nil where there is none or several.
    private func owner(of fund: Fund.ID) throws -> User.ID? {
        if let row = try db.row("SELECT name, archived_at, deleted_at FROM main.fund WHERE id = ?", [fund]) {
            let (name, archived, deleted): (String, Timestamp?, Timestamp?) = (row[0], row[1], row[2])
            let users: [User.ID] = try db.values("SELECT id FROM main.\"user\"")
            let proved = try users.first {
                try RowChecks.prove("fund", fund.rawValue, [$0, name, archived, deleted], db)
            }
            if let proved { return proved }
        }
        let owners: Set<User.ID> = try Set(witnesses.flatMap { sql in try db.values(sql, [fund]) as [User.ID] })
        return owners.count == 1 ? owners.first : nil
    }

    /// Columns that name the owner of fund `?1`, of rows that could be read.
    private var witnesses: [String] {
        [
            "SELECT owner_id FROM temp.known WHERE kind = \(ItemKind.fund.rawValue) AND id = ?1",
            // Feeds of several members do not tell which of them is the owner.
            """
            SELECT max(user_id) FROM main.change WHERE kind = \(ItemKind.fund.rawValue) AND item_id = ?1
            HAVING count(*) = 1
            """,
            "SELECT owner_id FROM main.fund_key WHERE fund_id = ?1",
            "SELECT user_id FROM main.fund_member WHERE fund_id = ?1 AND role = '\(FundRole.owner.rawValue)'",
            """
            SELECT DISTINCT user_id FROM main.email WHERE fund_id = ?1 AND NOT \(losses.contain(sql: "id", of: "email"))
            """,
            """
            SELECT DISTINCT user_id FROM main.note WHERE fund_id = ?1 AND NOT \(losses.contain(sql: "id", of: "note"))
            """,
            """
            SELECT DISTINCT owner_id FROM temp.known
            WHERE kind = \(ItemKind.email.rawValue) AND fund_id = ?1 AND owner_id IS NOT NULL
            """,
        ]
    }

    private func email(of user: User.ID) throws -> String {
        try db.value("SELECT email FROM main.\"user\" WHERE id = ?", [user]) ?? "user \(user)"
    }

    /// The user without access, made if needed.
    private func nobody() throws -> User.ID {
        if let id: User.ID = try db.value("SELECT id FROM main.\"user\" WHERE email = ?", [Self.nobody]) { return id }
        let id: User.ID = try db.insert(
            "INSERT INTO main.\"user\" (email, is_disabled, created_at) VALUES (?, 1, ?)", [Self.nobody, Timestamp.now])
        let address: ID<EmailAddress> = try db.insert(
            "INSERT INTO main.address (user_id, address) VALUES (?, ?)", [id, Self.nobody])
        try RowChecks.accept(
            [
                RowChecks.Change(table: "user", row: id.rawValue, isMissing: false),
                RowChecks.Change(table: "address", row: address.rawValue, isMissing: false),
            ], db)
        return id
    }
}
