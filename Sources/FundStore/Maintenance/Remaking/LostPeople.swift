import FundCore

/// Rows of people, of their addresses, and of acts at the desk that are newer than the backup and could not be read, as
/// far as indexes and checksums say what they were. `StaleRows` disables and revokes them.
struct LostPeople {
    let db: Database
    let losses: [TableLoss]

    /// Gives what is to be said. To be called when the rows of the backup are there.
    func remake() throws -> [RepairNote] {
        let users = try users()
        try addresses()
        return try users + acts()
    }

    /// Runs `body` for each row of an index; for none where it cannot be read.
    private func forEach(_ sql: String, _ body: (Int64, String) throws -> Void) throws {
        let rows: [(Int64, String)]? = try SoundDatabase.readable { try db.rows(sql) { ($0[0], $0[1]) } }
        for (id, text) in rows ?? [] { try body(id, text) }
    }

    private func note(_ what: String, _ made: [String]) -> [RepairNote] {
        guard !made.isEmpty else { return [] }
        return [RepairNote("\(what) that are newer than the backup are made again: \(made.joined(separator: ", "))")]
    }

    private func users() throws -> [RepairNote] {
        guard losses.concern("user") else { return [] }
        var made: [String] = []
        let table = SQL.table("old.\"user\"", using: SQL.constraintIndex(1, of: "user"))
        try forEach("SELECT id, email FROM \(table)") { id, email in
            guard losses.contain(id, of: "user") else { return }
            let count = try db.execute(
                """
                INSERT INTO main."user" (id, email, is_disabled, created_at) VALUES (?, ?, 1, ?) ON CONFLICT DO NOTHING
                """, [id, email, Timestamp.now])
            if count > 0 { made.append(email) }
        }
        return note("people, disabled and without password and role,", made)
    }

    /// Makes those addresses again that their checksums prove.
    private func addresses() throws {
        guard losses.concern("address") else { return }
        var owners: [Int64: User.ID] = [:]
        let byUser = SQL.table("old.address", using: "address_user")
        try forEach("SELECT id, CAST(user_id AS TEXT) FROM \(byUser)") { id, user in
            owners[id] = Int64(user).map { User.ID($0) }
        }
        let byAddress = SQL.table("old.address", using: SQL.constraintIndex(1, of: "address"))
        try forEach("SELECT id, address FROM \(byAddress)") { id, address in
            guard losses.contain(id, of: "address"), let owner = owners[id],
                try RowChecks.prove("address", id, [owner, address], db)
            else { return }
            try db.execute("DELETE FROM main.address WHERE id = ? OR address = ?", [id, address])
            try db.execute("INSERT INTO main.address (id, user_id, address) VALUES (?, ?, ?)", [id, owner, address])
        }
    }

    /// Makes acts again of their steps, which say what was done: these can still be undone.
    private func acts() throws -> [RepairNote] {
        guard losses.concern("desk_act") else { return [] }
        let kinds: KeyValuePairs<DeskRows.StepKind, DeskAct.Kind> = [
            .reject: .reject, .putOff: .later, .learn: .register, .create: .create, .enable: .enable,
        ]
        let kind = kinds.map { "WHEN '\($0.rawValue)' THEN '\($1.rawValue)'" }.joined(separator: " ")
        let made: [Int64] = try db.values(
            """
            INSERT INTO main.desk_act (id, at, actor, kind)
            SELECT act_id, ?, 'fundmail', CASE kind \(kind) ELSE '\(DeskAct.Kind.assign.rawValue)' END
            FROM main.desk_step WHERE id IN (SELECT min(id) FROM main.desk_step GROUP BY act_id)
                AND act_id NOT IN (SELECT id FROM main.desk_act) ORDER BY act_id RETURNING id
            """, [Timestamp.now])
        return note("acts at the desk, without time and name,", made.map { "act \($0)" })
    }
}
