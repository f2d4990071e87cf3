import FundCore

/// Columns of rows that their indexes say otherwise: in which fund a file lies, to which email an attachment belongs.
/// Where a letter of a row changed, indexes that are made anew would take the row's word for it, and what they know
/// would be gone.
struct ChangedKeys {
    /// A column, and the indexes that hold it and can be read without the rows.
    private struct Witnesses {
        var table: String
        var column: String
        var indexes: [String]
        /// Condition of the indexes.
        var condition = "1"
    }

    /// A row whose column is to be what its indexes say.
    struct Key: Hashable {
        var table: String
        var column: String
        var row: Int64
        var inRow: Int64
        var inIndex: Int64

        var description: String { "\(table) \(row): its \(column) is \(inRow), and \(inIndex) in an index" }
    }

    /// A row of which nothing tells whether it or its index is right.
    struct Undecided {
        var key: Key
        /// What a backup says of it; nil where none was named.
        var kept: Kept?

        enum Kept {
            case missing
            case other(Int64)
        }

        /// Words for people, with what helps.
        var description: String {
            let advice = "`fundmail verify --repair --accept-rows` takes the row as it is: look at it before"
            return switch kept {
            case nil: "\(key.description); a backup tells which is right: `fundmail verify --repair --backup DIR`"
            case .missing:
                "\(key.description); the backup that was named does not have this row: name a newer one. \(advice)"
            case .other(let value):
                "\(key.description); the backup that was named says \(value), and it changed since: name a newer one. "
                    + advice
            }
        }
    }

    /// People, addresses, funds, folders, notes and tokens have checksums (`RowChecks`).
    private static let witnesses = [
        Witnesses(
            table: "file", column: "fund_id", indexes: ["file_live", "file_name", "file_size"],
            condition: "deleted_at IS NULL"),
        Witnesses(table: "file", column: "folder_id", indexes: ["file_folder"], condition: "folder_id IS NOT NULL"),
        Witnesses(table: "file", column: "blob_id", indexes: ["file_blob"]),
        Witnesses(table: "email", column: "fund_id", indexes: ["email_arrival", "email_fund", "email_sender"]),
        Witnesses(table: "email", column: "user_id", indexes: ["email_user"]),
        Witnesses(table: "attachment", column: "email_id", indexes: ["attachment_email"]),
        Witnesses(table: "attachment", column: "blob_id", indexes: ["attachment_blob"]),
        Witnesses(table: "misroute", column: "user_id", indexes: ["misroute_user"], condition: "user_id IS NOT NULL"),
        Witnesses(
            table: "misroute", column: "email_id", indexes: ["misroute_email"], condition: "email_id IS NOT NULL"),
    ]

    /// Rows that changed, since several indexes agree against them, or an index and the backup.
    private(set) var changed: [Key] = []
    /// Where nothing tells which of the two is right.
    private(set) var undecided: [Undecided] = []

    /// - Parameters:
    ///   - backup: the database of a backup; nil for none.
    ///   - acceptsRows: where nothing tells which is right, the row is.
    init(_ db: Database, backup: String?, acceptsRows: Bool) throws {
        for witnesses in Self.witnesses {
            var counts: [Key: Int] = [:]
            for index in witnesses.indexes {
                for key in try Self.keys(witnesses, index, db) { counts[key, default: 0] += 1 }
            }
            for (key, count) in counts.sorted(by: { $0.key.row < $1.key.row }) {
                if count > 1 {
                    changed.append(key)
                } else if witnesses.indexes.count == 1 {
                    try decide(key, by: backup)
                }
                // Else the others agree with the row: that one index is what is damaged.
            }
        }
        if acceptsRows { undecided = [] }
    }

    /// Rows that an index contradicts; none where the index cannot be read.
    private static func keys(_ witnesses: Witnesses, _ index: String, _ db: Database) throws -> [Key] {
        let (table, column) = (witnesses.table, witnesses.column)
        do {
            return try db.rows(
                """
                SELECT entry.id, item.\(column), entry.value FROM (
                    SELECT id, \(column) AS value FROM \(table) INDEXED BY \(index) WHERE \(witnesses.condition)
                ) AS entry CROSS JOIN \(table) AS item NOT INDEXED ON item.id = entry.id
                WHERE ifnull(item.\(column), 0) <> entry.value
                """
            ) { Key(table: table, column: column, row: $0[0], inRow: $0[1] as Int64? ?? 0, inIndex: $0[2]) }
        } catch let error where ConnectionPool.isDamage(error) { return [] }
    }

    private mutating func decide(_ key: Key, by backup: String?) throws {
        guard let backup else { return undecided.append(Undecided(key: key)) }
        let kept: Int64? = try ConnectionPool.read(backup) {
            try $0.value("SELECT ifnull(\(key.column), 0) FROM \(key.table) WHERE id = ?", [key.row])
        }
        switch kept {
        case key.inIndex: changed.append(key)
        case key.inRow: break
        case nil: undecided.append(Undecided(key: key, kept: .missing))
        case .some(let value): undecided.append(Undecided(key: key, kept: .other(value)))
        }
    }

    /// Makes the rows what the indexes said. To be called once those were made anew.
    func putBack(_ db: Database) throws {
        for key in changed {
            try db.execute(
                "UPDATE \(key.table) SET \(key.column) = ? WHERE id = ?", [key.inIndex, key.row])
        }
    }
}
