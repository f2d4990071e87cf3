import FundCore

/// Gives a fund with everything in it to another owner, within one write transaction. To the clients of both it is as
/// if it had been deleted here and made there.
struct FundTransfer {
    let db: Database
    let actor: String
    let now: Timestamp

    /// Throws `notFound` without such a fund or user, `alreadyExists` when the new owner has a fund under one of its
    /// names, `conflict` when they are disabled, and `overQuota` when they have no room for what is in it.
    func run(_ fund: Fund.ID, to newOwner: User.ID, _ limits: StorageLimits) throws -> FundGift {
        let operation = "give a fund away"
        let row = try db.row(
            """
            SELECT owner_id, fund.name, "user".email FROM fund JOIN "user" ON "user".id = owner_id
            WHERE fund.id = ? AND deleted_at IS NULL AND archived_at IS NULL
            """, [fund])
        guard let row else { throw StoreError(.notFound, operation, "there is no such fund") }
        let (owner, name, ownerEmail): (User.ID, String, String) = (row[0], row[1], row[2])
        let newEmail = try UserRows.email(of: newOwner, db, operation)
        guard owner != newOwner else { return FundGift(isNew: false) }
        if try UserRows.isDisabled(newOwner, db) { throw StoreError(.conflict, operation, "\(newEmail) is disabled") }
        try StorageRoom(db: db, limits: limits).takeOver(FundUse.bytes(of: fund, db), by: newOwner, operation)
        let taken = try moveNames(of: fund, named: name, to: newOwner, newEmail, operation)
        try ChangeFeed.noteDeparture(db, of: fund, from: owner)
        try db.execute("UPDATE fund SET owner_id = ?, modified_at = ? WHERE id = ?", [newOwner, now, fund])
        for kind in ItemKind.allCases { try move(kind, in: fund, from: owner, to: newOwner) }
        try db.execute("DELETE FROM visit WHERE user_id = ? AND fund_id = ?", [owner, fund])
        try NewsListRows.give(fund, from: owner, to: newOwner, db)
        try db.execute("UPDATE learnt SET user_id = ? WHERE fund_id = ?", [newOwner, fund])
        try db.writeAudit(.fundGive, of: "\(ownerEmail)/\(name)", "to \(newEmail)", by: actor, now: now)
        return FundGift(isNew: true, takenNames: taken)
    }

    /// Moves the names of a fund to its new owner. Returns those that other funds of the new owner lost to it.
    private func moveNames(
        of fund: Fund.ID, named ownName: String, to newOwner: User.ID, _ email: String, _ operation: String
    ) throws -> [FundGift.TakenName] {
        let shared: [(key: String, other: Fund.ID, name: String)] = try db.rows(
            """
            SELECT own.key, other.fund_id, fund.name FROM fund_key AS own
                JOIN fund_key AS other ON other.owner_id = ? AND other.key = own.key
                JOIN fund ON fund.id = other.fund_id
            WHERE own.fund_id = ?
            """, [newOwner, fund]
        ).map { ($0[0], $0[1], $0[2]) }
        let rows = FundRows(db: db, actor: actor)
        var formerHolders: [String: String] = [:]
        for (key, other, name) in shared {
            // The fund that was only called so before gives way.
            if try rows.giveUpFormerName(key, of: fund) != nil { continue }
            guard let holder = try rows.giveUpFormerName(key, of: other) else {
                throw StoreError(.alreadyExists, operation, "\(email) has a fund under one of its names: \(name)")
            }
            formerHolders[key] = holder.name
        }
        try db.execute("UPDATE fund_key SET owner_id = ? WHERE fund_id = ?", [newOwner, fund])
        return try ([ownName] + FundRows.aliases(of: fund, db)).compactMap { name in
            formerHolders[FundName.key(name)].map { FundGift.TakenName(name, from: $0) }
        }
    }

    /// SQL for the items of a kind in the fund `?1`, deleted ones included.
    private static func items(_ kind: ItemKind) -> String {
        kind == .fund ? "SELECT ?1 AS id" : "SELECT id FROM \(kind.table) WHERE fund_id = ?1"
    }

    private func move(_ kind: ItemKind, in fund: Fund.ID, from owner: User.ID, to newOwner: User.ID) throws {
        let items = Self.items(kind)
        switch kind {
        case .fund: break
        // They name their user, and a trigger numbers the change.
        case .email, .note: try db.execute("UPDATE \(kind.table) SET user_id = ? WHERE fund_id = ?", [newOwner, fund])
        case .file, .folder: try ChangeFeed.note(db, all: kind, in: fund)
        }
        try db.execute(
            "UPDATE deletion SET owner_id = ?2 WHERE kind = \(kind.rawValue) AND item_id IN (\(items))",
            [fund, newOwner])
        try db.execute(
            "DELETE FROM favourite WHERE user_id = ?2 AND kind = \(kind.rawValue) AND item_id IN (\(items))",
            [fund, owner])
    }
}
