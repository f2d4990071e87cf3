import FundCore

/// Epochs of the feed of changes. A store that is restored from a backup counts on from an older number, under which a
/// client has seen another change. So each start of a server begins an epoch with a random tag, and a cursor carries
/// the tag: one that the restored store never gave is refused.
enum ChangeEpochs {
    /// Tags have 16 bits; 0 is that of a store before its first epoch.
    private static let tags: Range<Int64> = 1..<65_536
    /// Older cursors than of so many starts are refused, so that tags do not run out.
    private static let kept = 1000
    /// Number before all others: an epoch that began after it leaves none to those before.
    private static let beforeAll: Int64 = -1

    /// - Parameter refusingOlder: cursors of all epochs before are refused from now on.
    static func begin(_ db: Database, refusingOlder: Bool = false) throws {
        try db.execute(
            "DELETE FROM change_epoch WHERE id NOT IN (SELECT id FROM change_epoch ORDER BY id DESC LIMIT ?)",
            [kept - 1])
        let used: Set<Int64> = try Set(db.values("SELECT tag FROM change_epoch"))
        var tag = Int64.random(in: tags)
        while used.contains(tag) { tag = Int64.random(in: tags) }
        try db.execute(
            "INSERT INTO change_epoch (tag, began_after) VALUES (?, ?)",
            [tag, refusingOlder ? beforeAll : try lastNumber(db)])
    }

    static func current(_ db: Database) throws -> Int64 {
        try db.value("SELECT tag FROM change_epoch ORDER BY id DESC LIMIT 1") ?? 0
    }

    /// Throws `outdated` for a cursor that this store has not given.
    static func check(_ cursor: ChangeCursor, _ db: Database) throws {
        let row = try db.row(
            """
            SELECT (SELECT min(later.began_after) FROM change_epoch AS later WHERE later.id > epoch.id)
            FROM change_epoch AS epoch WHERE epoch.tag = ?
            """, [cursor.epoch])
        let end = try row.map { try $0[0] as Int64? ?? lastNumber(db) }
        guard let end, cursor.number <= end else {
            throw StoreError(.outdated, "read what changed", "the cursor is of another store, or very old")
        }
    }

    /// The highest number that was ever given; its change may be purged.
    static func lastNumber(_ db: Database) throws -> Int64 {
        try db.lastNumber(of: "change")
    }
}

/// Notes that an item is new or changed, where no trigger does: see `LibrarySchema`.
enum ChangeFeed {
    static func note(_ db: Database, _ item: LibraryItemID, of owner: User.ID) throws {
        // Its latest change takes the next number.
        try db.execute("DELETE FROM change WHERE kind = ? AND item_id = ?", item.arguments)
        try noteNew(db, item, of: owner)
    }

    /// Notes all items of a kind that the feed does not name.
    ///
    /// - Parameter owner: SQL for the owner of a row of their table; those without one stay out.
    static func complete(_ db: Database, _ kind: ItemKind, owner: String) throws {
        try db.execute(
            """
            INSERT INTO change (owner_id, kind, item_id) SELECT \(owner), \(kind.rawValue), id FROM \(kind.table)
            WHERE NOT EXISTS (SELECT 1 FROM change WHERE kind = \(kind.rawValue) AND item_id = id)
                AND \(owner) IS NOT NULL
            """)
    }

    /// `note` for an item whose id was never used.
    static func noteNew(_ db: Database, _ item: LibraryItemID, of owner: User.ID) throws {
        try db.execute(
            "INSERT INTO change (owner_id, kind, item_id) VALUES (?, ?, ?)", [owner, item.kind.rawValue, item.number])
    }

    /// Notes a change of all items of a kind in a fund, deleted ones included.
    static func note(_ db: Database, all kind: ItemKind, in fund: Fund.ID, of owner: User.ID) throws {
        let items = "FROM \(kind.table) WHERE fund_id = ?"
        try db.execute("DELETE FROM change WHERE kind = \(kind.rawValue) AND item_id IN (SELECT id \(items))", [fund])
        try db.execute(
            "INSERT INTO change (owner_id, kind, item_id) SELECT ?, \(kind.rawValue), id \(items) ORDER BY id",
            [owner, fund])
    }

    /// The first owner of an email, before its fund was given away; its owner otherwise. SQL, within a statement on
    /// `email`.
    /// - Parameter owner: SQL for the owner.
    static func firstOwner(orElse owner: String) -> String {
        """
        coalesce((SELECT owner_id FROM departure WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id
            ORDER BY seq LIMIT 1), \(owner))
        """
    }
}
