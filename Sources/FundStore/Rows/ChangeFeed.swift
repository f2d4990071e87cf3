import FundCore

/// The feeds of changes, one for each person, see `FeedSchema`. What changes is noted within a transaction, by triggers
/// or here, and published at its end.
enum ChangeFeed {
    /// The number of a person's latest change; it may be purged. 0 before the first.
    static func last(of user: User.ID, _ db: Database) throws -> Int64 {
        try db.value("SELECT last FROM feed WHERE user_id = ?", [user]) ?? 0
    }

    /// The numbers of everybody's latest changes. A page of the table has hundreds of them.
    static func latest(_ db: Database) throws -> LatestChanges {
        let rows: [(User.ID, Int64)] = try db.rows("SELECT user_id, last FROM feed") { ($0[0], $0[1]) }
        return LatestChanges(numbers: Dictionary(rows) { first, _ in first })
    }

    /// The column of `change` that names the person, in another database: a backup of before each person had a feed has
    /// the one person who saw an item, in another column.
    static func personColumn(_ db: Database, in schema: String) throws -> String {
        try db.columns(of: "change", in: schema).contains("user_id") ? "user_id" : "owner_id"
    }

    /// Where an item stands in the feeds of people. One of two states has a point in common with the other unless the
    /// item changed in between: a change of it has a new number in each feed, a favourite in that of one person.
    struct Point: Hashable {
        var user: User.ID
        var number: Int64
    }

    /// The points of an item in a database of this version or a former one.
    static func points(of kind: ItemKind, _ id: String, _ db: Database) throws -> Set<Point> {
        Set(
            try db.rows(
                """
                SELECT \(personColumn(db, in: "main")), seq FROM change
                WHERE kind = \(kind.rawValue) AND item_id = \(id)
                """
            ) { Point(user: $0[0], number: $0[1]) })
    }

    // MARK: Noting

    /// Notes that an item is new or changed, where no trigger does.
    /// - Parameter fund: the fund in which it is, or was before it was removed.
    static func note(_ db: Database, _ item: LibraryItemID, in fund: Fund.ID) throws {
        try db.execute(
            "INSERT INTO change_due (kind, item_id, fund_id) VALUES (?, ?, ?)", item.arguments + [fund])
    }

    /// Notes that an item is another one to a member of its fund alone.
    static func note(_ db: Database, _ item: LibraryItemID, in fund: Fund.ID, for user: User.ID) throws {
        try db.execute(
            "INSERT INTO change_due (kind, item_id, fund_id, user_id) VALUES (?, ?, ?, ?)",
            item.arguments + [fund, user])
    }

    /// Notes a change of all items of a kind in a fund, deleted ones included.
    static func note(_ db: Database, all kind: ItemKind, in fund: Fund.ID) throws {
        try db.execute(
            """
            INSERT INTO change_due (kind, item_id, fund_id)
                SELECT \(kind.rawValue), id, ?1 FROM \(kind.table) WHERE fund_id = ?1 ORDER BY id
            """, [fund])
    }

    /// Notes that a person no longer sees a fund and what is in it, deleted items included.
    static func noteDeparture(_ db: Database, of fund: Fund.ID, from user: User.ID) throws {
        for kind in ItemKind.allCases {
            let items = kind == .fund ? "(SELECT ?1 AS id)" : "\(kind.table) WHERE fund_id = ?1"
            try db.execute(
                """
                INSERT INTO change_due (kind, item_id, fund_id, user_id, departure)
                    SELECT \(kind.rawValue), id, ?1, ?2, 1 FROM \(items) ORDER BY id
                """, [fund, user])
        }
    }

    // MARK: Publishing

    /// The ways in which an item leaves a person's library. Raw values stand in `change_due`.
    private enum Departure: Int {
        case givenAway = 1
        /// The item is in a fund of which the person is no member.
        case outOfSight = 2
    }

    /// An item that is another one to a person from now on, or that left their library.
    private struct Noted: Hashable {
        var user: User.ID
        var item: LibraryItemID
        /// Nil for an item that is there.
        var departure: Departure?
    }

    /// Notes that are taken into feeds at once: they are in memory, 200 bytes each.
    static let pieceCount: Int64 = 10_000

    /// Takes what was noted into the feeds of those who see it; false where nothing was noted. The last step of a
    /// transaction, but for COMMIT.
    @discardableResult
    static func publish(_ db: Database) throws -> Bool {
        // The table was empty before the transaction. Ids begin with 1, but where other transactions run beside it.
        guard let row = try db.row("SELECT min(id), max(id) FROM change_due"), let start: Int64 = row[0] else {
            return false
        }
        let last: Int64 = row[1]
        if last - start < pieceCount {
            try enter(due(start...last, db), db)
        } else {
            // The pieces of a person come together, since a counter that was raised is locked.
            let people: [User.ID] = try db.values(
                """
                SELECT user_id FROM fund_member WHERE fund_id IN (SELECT fund_id FROM change_due)
                UNION SELECT user_id FROM change_due WHERE departure > 0 ORDER BY 1
                """)
            for user in people {
                for first in stride(from: start, through: last, by: Int(pieceCount)) {
                    try enter(due(first...(first + pieceCount - 1), of: user, db), db)
                }
            }
        }
        try db.execute("DELETE FROM change_due")
        return true
    }

    /// The notes of items, by person and in their order.
    /// - Parameters:
    ///   - notes: ids of notes.
    ///   - user: the person whose notes are asked for; nil for all people.
    private static func due(_ notes: ClosedRange<Int64>, of user: User.ID? = nil, _ db: Database) throws -> [Noted] {
        func isOf(_ column: String) -> String { user == nil ? "" : "AND \(column) = ?3" }
        return try db.rows(
            """
            SELECT member.user_id, due.kind, due.item_id, due.departure, due.id AS turn
            FROM change_due AS due \(SQL.thenJoin) fund_member AS member ON member.fund_id = due.fund_id
                AND (due.user_id IS NULL OR member.user_id = due.user_id) \(isOf("member.user_id"))
            WHERE due.id BETWEEN ?1 AND ?2 AND due.departure = 0
            UNION ALL SELECT user_id, kind, item_id, departure, id FROM change_due
            WHERE id BETWEEN ?1 AND ?2 AND departure > 0 \(isOf("user_id"))
            ORDER BY user_id, turn
            """, [notes.lowerBound, notes.upperBound] + (user.map { [$0] } ?? [])
        ) { Noted(user: $0[0], item: try $0.item(1), departure: Departure(rawValue: $0[3])) }
    }

    /// Gives what was noted its numbers. People come in ascending order, here and in the counters: where transactions
    /// run side by side, none waits for another that waits for it.
    private static func enter(_ noted: [Noted], _ db: Database) throws {
        // Each item has one change, where it was noted last.
        var seen: Set<Noted> = []
        let latest = Array(noted.reversed().filter { seen.insert($0).inserted }.reversed())
        var rest = latest[...]
        while let user = rest.first?.user {
            let own = rest.prefix { $0.user == user }
            rest = rest.dropFirst(own.count)
            guard let last = try advance(user, by: own.count, db) else { continue }
            for (number, change) in zip((last - Int64(own.count) + 1)..., own) {
                if let departure = change.departure {
                    try depart(change, departure, number, db)
                } else {
                    try write(change, number, db)
                }
            }
        }
    }

    /// Raises the counter of a person, and gives its new number; nil for a person who is not there.
    private static func advance(_ user: User.ID, by count: Int, _ db: Database) throws -> Int64? {
        let raise = "UPDATE feed SET last = last + ? WHERE user_id = ? RETURNING last"
        if let last: Int64 = try db.value(raise, [count, user]) { return last }
        try begin(db, where: "id = ?", [user])
        return try db.value(raise, [count, user])
    }

    private static func write(_ change: Noted, _ number: Int64, _ db: Database) throws {
        try db.execute(
            """
            INSERT INTO change (user_id, seq, kind, item_id) VALUES (?, ?, ?, ?)
            ON CONFLICT (kind, item_id, user_id) DO UPDATE SET seq = excluded.seq
            """, [change.user, number, change.item.kind.rawValue, change.item.number])
    }

    /// A person whose feed never had the item is told nothing.
    private static func depart(_ change: Noted, _ departure: Departure, _ number: Int64, _ db: Database) throws {
        let known = try db.execute(
            "DELETE FROM change WHERE kind = ? AND item_id = ? AND user_id = ?", change.item.arguments + [change.user])
        guard known > 0 else { return }
        let turn =
            departure == .givenAway
            ? "1 + (SELECT count(*) FROM departure WHERE kind = ?3 AND item_id = ?4 AND turn > 0)" : "0"
        try db.execute(
            "INSERT INTO departure (owner_id, seq, kind, item_id, turn) SELECT ?1, ?2, ?3, ?4, \(turn)",
            [change.user, number, change.item.kind.rawValue, change.item.number])
    }

    /// Begins the feeds of people who have none, behind what is left of a lost one.
    private static func begin(_ db: Database, where condition: String, _ arguments: SQLArguments = []) throws {
        let last = SQL.greatest(
            "coalesce((SELECT max(seq) FROM change WHERE change.user_id = \"user\".id), 0)",
            "coalesce((SELECT max(seq) FROM departure WHERE departure.owner_id = \"user\".id), 0)")
        try db.execute(
            """
            INSERT INTO feed (user_id, last, indexed) SELECT id, \(last), 0 FROM "user"
            WHERE (\(condition)) AND NOT EXISTS (SELECT 1 FROM feed WHERE feed.user_id = "user".id)
            """, arguments)
    }

    // MARK: Repair

    /// Begins the feeds that are lost. Cursors of before are to be refused then.
    static func complete(_ db: Database) throws { try begin(db, where: "1 = 1") }

    /// Takes all items of a kind that no feed names into those of the members of their funds, and those that the owner
    /// of their fund has into the feeds of the other members.
    static func complete(_ db: Database, _ kind: ItemKind) throws {
        let fund = kind == .fund ? "item.id" : "item.fund_id"
        try add(
            db,
            """
            SELECT member.user_id, \(kind.rawValue) AS kind, item.id AS item_id FROM \(kind.table) AS item
                JOIN fund_member AS member ON member.fund_id = \(fund)
            WHERE NOT EXISTS (SELECT 1 FROM change WHERE change.kind = \(kind.rawValue) AND change.item_id = item.id)
            UNION ALL \(lacking(kind))
            """)
    }

    /// SQL for the items of a kind that are in the feed of their fund's owner and not in that of another member:
    /// `user_id`, `kind` and `item_id`.
    static func lacking(_ kind: ItemKind) -> String {
        let feed = "SELECT 1 FROM change WHERE change.kind = \(kind.rawValue) AND change.item_id = item.id"
        return """
            SELECT member.user_id, \(kind.rawValue) AS kind, item.id AS item_id FROM fund_member AS member
                \(SQL.thenJoin) fund ON fund.id = member.fund_id
                \(SQL.thenJoin) \(kind.table) AS item ON item.\(kind == .fund ? "id" : "fund_id") = fund.id
            WHERE member.role <> '\(FundRole.owner.rawValue)'
                AND EXISTS (\(feed) AND change.user_id = fund.owner_id)
                AND NOT EXISTS (\(feed) AND change.user_id = member.user_id)
            """
    }

    /// Tells people who are no members of a fund any more that what is in it left them, where the feed of its owner
    /// names it, too.
    static func completeDepartures(_ db: Database) throws {
        let funds = "FROM change WHERE change.kind = \(ItemKind.fund.rawValue) AND change.item_id = fund.id"
        let former = """
            SELECT seen.user_id, fund.id AS fund_id FROM change AS seen JOIN fund ON fund.id = seen.item_id
            WHERE seen.kind = \(ItemKind.fund.rawValue) AND EXISTS (SELECT 1 \(funds) AND user_id = fund.owner_id)
                AND NOT EXISTS (SELECT 1 FROM fund_member AS member
                    WHERE member.fund_id = fund.id AND member.user_id = seen.user_id)
            """
        let items = ItemKind.allCases.map { kind in
            """
            SELECT change.user_id, change.kind, change.item_id FROM former
                JOIN \(kind.table) AS item ON item.\(kind == .fund ? "id" : "fund_id") = former.fund_id
                JOIN change ON change.kind = \(kind.rawValue) AND change.item_id = item.id
                    AND change.user_id = former.user_id
            """
        }
        let left = try db.rows(
            """
            WITH former AS (\(former)) SELECT user_id, kind, item_id FROM (
                \(items.joined(separator: "\nUNION ALL "))) AS items ORDER BY user_id, kind, item_id
            """
        ) { Noted(user: $0[0], item: try $0.item(1), departure: .outOfSight) }
        try enter(left, db)
    }

    /// Takes items into the feeds of people.
    /// - Parameter items: SQL for rows of `user_id`, `kind` and `item_id`, each once.
    static func add(_ db: Database, _ items: String) throws {
        let found = try db.rows(
            "SELECT user_id, kind, item_id FROM (\(items)) AS items ORDER BY user_id, kind, item_id"
        ) { Noted(user: $0[0], item: try $0.item(1)) }
        try enter(found, db)
    }

    // MARK: Former owners

    /// The first owner of an email, before its fund was given away; its owner otherwise. SQL, within a statement on
    /// `email`.
    /// - Parameter owner: SQL for the owner.
    static func firstOwner(orElse owner: String) -> String {
        """
        coalesce((SELECT owner_id FROM departure WHERE kind = \(ItemKind.email.rawValue) AND item_id = email.id
            AND turn = 1), \(owner))
        """
    }
}
