import FundCore

/// Epochs of the feeds of changes. A store that is restored from a backup counts on from older numbers, under which a
/// client has seen other changes. So each start of a server begins an epoch with a random tag, and a cursor carries
/// the tag: one that the restored store never gave is refused.
enum ChangeEpochs {
    /// Tags have 16 bits; 0 is that of a store before its first epoch.
    private static let tags: Range<Int64> = 1..<65_536
    /// Older cursors than of so many starts are refused, so that tags do not run out.
    private static let kept = 1000
    /// Number before all others: an epoch that began after it leaves none to those before.
    private static let beforeAll: Int64 = -1
    /// An epoch that limits nothing for all people: its limits are those of each.
    private static let noLimit = Int64.max

    /// - Parameter refusingOlder: cursors of all epochs before are refused from now on.
    static func begin(_ db: Database, refusingOlder: Bool = false) throws {
        try noteStart(of: try add(db, beganAfter: refusingOlder ? beforeAll : noLimit), db)
    }

    /// Begins the first epoch of a store that has no feeds yet.
    static func beginFirst(_ db: Database) throws { _ = try add(db, beganAfter: 0) }

    /// Adds an epoch, and gives its id.
    private static func add(_ db: Database, beganAfter limit: Int64) throws -> Int64 {
        try db.execute(
            "DELETE FROM change_epoch WHERE id NOT IN (SELECT id FROM change_epoch ORDER BY id DESC LIMIT ?)",
            [kept - 1])
        let used: Set<Int64> = try Set(db.values("SELECT tag FROM change_epoch"))
        var tag = Int64.random(in: tags)
        while used.contains(tag) { tag = Int64.random(in: tags) }
        let epoch: ID<ChangeEpochs> = try db.insert(
            "INSERT INTO change_epoch (tag, began_after) VALUES (?, ?)", [tag, limit])
        return epoch.rawValue
    }

    /// Notes up to where each person's feed had come, and drops what no cursor is compared with any more.
    private static func noteStart(of epoch: Int64, _ db: Database) throws {
        try db.execute(
            """
            INSERT INTO change_epoch_start (user_id, epoch_id, number)
                SELECT user_id, ?1, last FROM feed WHERE last <> coalesce((
                    SELECT number FROM change_epoch_start AS known WHERE known.user_id = feed.user_id
                    ORDER BY epoch_id DESC LIMIT 1), 0)
            """, [epoch])
        try db.execute(
            """
            DELETE FROM change_epoch_start WHERE EXISTS (SELECT 1 FROM change_epoch_start AS later
                WHERE later.user_id = change_epoch_start.user_id AND later.epoch_id > change_epoch_start.epoch_id
                    AND later.epoch_id <= (SELECT min(id) FROM change_epoch))
            """)
    }

    static func current(_ db: Database) throws -> Int64 {
        try db.value("SELECT tag FROM change_epoch ORDER BY id DESC LIMIT 1") ?? 0
    }

    /// Throws `outdated` for a cursor that this store has not given to the person.
    static func check(_ cursor: ChangeCursor, of user: User.ID, _ db: Database) throws {
        let row = try db.row(
            """
            SELECT id, (SELECT min(later.id) FROM change_epoch AS later WHERE later.id > epoch.id),
                (SELECT min(later.began_after) FROM change_epoch AS later WHERE later.id > epoch.id)
            FROM change_epoch AS epoch WHERE epoch.tag = ?
            """, [cursor.epoch])
        guard let row, cursor.number <= (try end(of: user, next: row[1], limit: row[2], db)) else {
            throw StoreError(.outdated, "read what changed", "the cursor is of another store, or very old")
        }
    }

    /// The last number that a person was given in an epoch.
    /// - Parameters:
    ///   - next: the epoch after it; nil where there is none.
    ///   - limit: the least limit for all people of the epochs after it.
    private static func end(of user: User.ID, next: Int64?, limit: Int64?, _ db: Database) throws -> Int64 {
        guard let next, let limit else { return try ChangeFeed.last(of: user, db) }
        let start: Int64? = try db.value(
            """
            SELECT number FROM change_epoch_start WHERE user_id = ? AND epoch_id <= ? ORDER BY epoch_id DESC LIMIT 1
            """, [user, next])
        // Epochs of before each person had a feed have limits for all people alone.
        if start == nil, limit < noLimit { return limit }
        return min(start ?? 0, limit)
    }
}
