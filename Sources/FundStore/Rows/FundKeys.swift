import FundCore

/// The keys under which tags find funds: made of the names and aliases of each fund that is neither archived nor
/// deleted.
enum FundKeys {
    private struct Key: Hashable {
        var owner: User.ID
        var key: String
        var fund: Fund.ID
    }

    private static func expected(_ db: Database) throws -> Set<Key> {
        let names: [Key] = try db.rows(
            """
            SELECT owner_id, name, id FROM fund WHERE archived_at IS NULL AND deleted_at IS NULL
            UNION ALL SELECT owner_id, fund_alias.name, fund.id FROM fund_alias JOIN fund ON fund.id = fund_id
            WHERE archived_at IS NULL AND deleted_at IS NULL
            """
        ) { Key(owner: $0[0], key: FundName.key($0[1]), fund: $0[2]) }
        return Set(names)
    }

    private static func present(_ db: Database) throws -> Set<Key> {
        Set(try db.rows("SELECT owner_id, key, fund_id FROM fund_key") { Key(owner: $0[0], key: $0[1], fund: $0[2]) })
    }

    /// Funds with a key that is none of their names, or without one.
    static func wrong(_ db: Database) throws -> [Fund.ID] {
        Set(try expected(db).symmetricDifference(present(db)).map(\.fund)).sorted { $0.rawValue < $1.rawValue }
    }

    /// Makes the keys anew where they are wrong and checksums prove the names and owners of all funds. Gives whether
    /// they were.
    static func mend(_ db: Database) throws -> Bool {
        guard try !wrong(db).isEmpty,
            try !RowChecks.changes(db).contains(where: { ["user", "fund", "fund_alias"].contains($0.table) })
        else { return false }
        try complete(db)
        return true
    }

    static func complete(_ db: Database) throws {
        try db.execute("DELETE FROM fund_key")
        for key in try expected(db) {
            try db.execute(
                "INSERT INTO fund_key (owner_id, key, fund_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [key.owner, key.key, key.fund])
        }
    }
}
