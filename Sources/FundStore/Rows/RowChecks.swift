import FundCore

/// Checksums of the rows of which a changed letter would be believed: who people are, what is theirs, and what was
/// learnt. Triggers keep them. Mail that comes in writes to none of these tables; what is said of mail is compared with
/// the log and with what the rows say twice.
enum RowChecks {
    /// A table with the columns that its checksums cover. Those that change by themselves, like the time of the last
    /// use, are left out.
    static let tables: KeyValuePairs = [
        "user": ["email", "name", "is_administrator", "is_disabled", "password"],
        "address": ["user_id", "address"],
        "fund": ["owner_id", "name", "archived_at", "deleted_at"],
        "fund_alias": ["fund_id", "name"],
        "folder": ["fund_id", "parent_id", "name", "name_key", "deleted_at"],
        "note": ["fund_id", "user_id", "title", "body", "deleted_at"],
        "learnt": ["kind", "name", "key", "user_id", "fund_id", "taken_back_at"],
        "token": ["user_id", "kind", "digest", "sealed", "revoked_at", "reach"],
        "passkey": ["user_id", "credential", "algorithm", "public_key"],
        "contact": [
            "user_id", "uid", "name", "organisation", "department", "title", "addresses", "phones", "group_names",
            "note", "deleted_at",
        ],
    ]

    static func covers(_ table: String) -> Bool { tables.contains { $0.key == table } }

    static func checksum(_ columns: [String], of row: String) -> String {
        "\(RowChecksum.function)(\(columns.map { "\(row).\($0)" }.joined(separator: ", ")))"
    }

    /// A row that is not what was written, or is not there any more.
    struct Change: Hashable, Sendable, CustomStringConvertible {
        var table: String
        var row: Int64
        var isMissing: Bool
        /// Whether no checksum is kept of it.
        var isBack = false
        /// Whether mail would be filed by an address that may have been taken away.
        var isOfSender: Bool { isBack && table == "address" }

        var description: String {
            if isBack { return "row \(row) of \(table) is back, or was not written by this program" }
            return isMissing
                ? "row \(row) of \(table) is gone, and nothing took it away"
                : "row \(row) of \(table) is not what was written there"
        }
    }

    /// Limit of findings for each table: more means that the table is damaged as a whole.
    private static let maxChanges = 100

    /// Rows that this program did not write. None for rows on a server, which watches over its pages itself.
    static func changes(_ db: Database) throws -> [Change] {
        guard case .sqlite = db else { return [] }
        return try tables.flatMap { table, columns in
            try db.rows(
                """
                SELECT row_id, "\(table)".id IS NULL
                FROM row_check LEFT JOIN "\(table)" ON "\(table)".id = row_id
                WHERE row_check.name = '\(table)' AND value IS DISTINCT FROM \(checksum(columns, of: "\"\(table)\""))
                    OR row_check.name = '\(table)' AND "\(table)".id IS NULL
                LIMIT \(maxChanges)
                """
            ) { Change(table: table, row: $0[0], isMissing: $0[1]) }
                + db.values(
                    """
                    SELECT id FROM \(SQL.scan("\"\(table)\""))
                    WHERE NOT EXISTS (SELECT 1 FROM row_check WHERE name = '\(table)' AND row_id = id)
                    LIMIT \(maxChanges)
                    """
                ).map { Change(table: table, row: $0, isMissing: false, isBack: true) }
        }
    }

    /// `changes` of the tables that can be read.
    static func readableChanges(_ db: Database) throws -> [Change] {
        try Database.readable(or: []) { try changes(db) }
    }

    /// A row that may not be what was written last.
    struct Doubt {
        var row: Int64
        /// Whether no checksum is kept of it: it was removed.
        var isRemoved: Bool
    }

    /// Whether the checksum proves that a row is what was written last; nil where it has none.
    static func isProved(_ row: Int64, of table: String, _ db: Database) throws -> Bool? {
        guard let columns = tables.first(where: { $0.key == table })?.value else { return nil }
        return try db.value(
            """
            SELECT value IS NOT DISTINCT FROM \(checksum(columns, of: "item")) FROM row_check
                JOIN \(SQL.scan("\"\(table)\" AS item")) ON item.id = row_id
            WHERE row_check.name = ?1 AND row_id = ?2
            """, [table, row])
    }

    static func isKept(_ row: Int64, of table: String, _ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM row_check WHERE name = ? AND row_id = ?", [table, row])
    }

    /// Rows with these ids that are not proved to be what was written last.
    static func doubts(of table: String, _ range: ClosedRange<Int64>, _ db: Database) throws -> [Doubt] {
        guard let columns = tables.first(where: { $0.key == table })?.value else { return [] }
        return try db.rows(
            """
            SELECT id, row_id IS NULL
            FROM main."\(table)" LEFT JOIN main.row_check ON row_check.name = ?1 AND row_id = id
            WHERE id BETWEEN ?2 AND ?3 AND value IS DISTINCT FROM \(checksum(columns, of: "\"\(table)\""))
            ORDER BY id
            """, [table, range.lowerBound, range.upperBound]
        ) { Doubt(row: $0[0], isRemoved: $0[1]) }
    }

    /// Whether a row with these values, in the order of the columns of its checksum, is what was written last.
    static func prove(_ table: String, _ row: Int64, _ values: SQLArguments, _ db: Database) throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM main.row_check WHERE name = ? AND row_id = ?
                AND value = \(RowChecksum.function)(\(values.map { _ in "?" }.joined(separator: ", ")))
            """, [table, row] + values)
    }

    /// Takes the rows as they are from now on.
    static func accept(_ changes: [Change], _ db: Database) throws {
        for (table, columns) in tables {
            for change in changes where change.table == table {
                try db.execute("DELETE FROM row_check WHERE name = ? AND row_id = ?", [table, change.row])
                try db.execute(
                    """
                    INSERT INTO row_check SELECT '\(table)', id, \(checksum(columns, of: "\"\(table)\""))
                    FROM "\(table)" WHERE id = ?
                    """, [change.row])
            }
        }
    }

    /// Gives rows that have no checksum one, and takes away those of rows that are not there: after rows came from a
    /// backup.
    static func complete(_ db: Database) throws {
        for (table, columns) in tables {
            try db.run(
                script: """
                    INSERT INTO row_check SELECT '\(table)', id, \(checksum(columns, of: "\"\(table)\""))
                        FROM "\(table)" WHERE true ON CONFLICT DO NOTHING;
                    DELETE FROM row_check WHERE name = '\(table)'
                        AND NOT EXISTS (SELECT 1 FROM "\(table)" WHERE id = row_id);
                    """)
        }
    }

    /// Columns of rows that indexes hold, which agree with the rows once those were made anew, and passwords.
    private static let witnessed: KeyValuePairs = [
        "user": ["email", "password"], "address": ["user_id", "address"],
        "fund": ["owner_id"], "fund_alias": ["fund_id"], "folder": ["fund_id", "parent_id", "name_key"],
        "note": ["fund_id"], "learnt": ["user_id"], "token": ["user_id", "digest"],
        "passkey": ["user_id", "credential"], "contact": ["user_id", "uid", "name_key"],
    ]

    /// Condition under which a row of the backup, `kept`, opens to a person what the row of `now` keeps from them.
    private static let opening: KeyValuePairs = [
        "user": "kept.is_administrator > now.is_administrator OR kept.is_disabled < now.is_disabled",
        "token": "kept.revoked_at IS NULL AND now.revoked_at IS NOT NULL",
        "learnt": "kept.taken_back_at IS NULL AND now.taken_back_at IS NOT NULL",
    ]

    /// Whether a checksum that proves the row of the backup, attached as `backup`, is none of before: it contradicts no
    /// index, takes nothing back that keeps people out, and the feed of changes has nothing newer of the item.
    private static func isOfToday(_ change: Change, _ db: Database) throws -> Bool {
        let columns = witnessed.first { $0.key == change.table }?.value.joined(separator: ", ") ?? "id"
        let row = "SELECT \(columns) FROM main.\"\(change.table)\" WHERE id = ?1"
        guard try db.exists("\(row) INTERSECT \(row.replacing("main.", with: "backup."))", [change.row]) else {
            return false
        }
        if let opening = opening.first(where: { $0.key == change.table })?.value {
            return try db.value(
                """
                SELECT NOT (\(opening)) FROM main."\(change.table)" AS now JOIN backup."\(change.table)" AS kept
                    USING (id) WHERE id = ?
                """, [change.row]) ?? false
        }
        guard let kind = ItemKind.allCases.first(where: { $0.table == change.table }) else { return true }
        let seq = "SELECT max(seq) FROM main.change WHERE kind = \(kind.rawValue) AND item_id = ?1"
        return try db.value(
            "SELECT (\(seq)) IS NOT DISTINCT FROM (\(seq.replacing("main.", with: "backup.")))", [change.row]) ?? false
    }

    /// Puts what a backup, attached as `backup`, says of a changed row in its place, where the checksum proves that
    /// this is what was written last. False where it is not.
    static func restore(_ change: Change, _ db: Database) throws -> Bool {
        guard let columns = tables.first(where: { $0.key == change.table })?.value else { return false }
        // A backup of an earlier version may lack columns.
        guard Set(columns).isSubset(of: try db.columns(of: change.table, in: "backup")) else { return false }
        let (table, list) = ("\"\(change.table)\"", columns.joined(separator: ", "))
        let isProved = try db.exists(
            """
            SELECT 1 FROM backup.\(table) AS kept JOIN main.row_check ON row_check.name = ?1
                AND row_id = kept.id AND value = \(checksum(columns, of: "kept")) WHERE kept.id = ?2
            """, [change.table, change.row])
        guard isProved, !change.isMissing, !change.isBack, try isOfToday(change, db) else { return false }
        try db.execute(
            "UPDATE main.\(table) SET (\(list)) = (SELECT \(list) FROM backup.\(table) WHERE id = ?1) WHERE id = ?1",
            [change.row])
        try accept([change], db)
        return true
    }
}
