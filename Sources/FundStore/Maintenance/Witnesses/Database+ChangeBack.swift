import FundCore

extension Database {
    /// Runs what makes a row again what it was. Its checksum stays that of what was written, and the feed of changes
    /// goes on to say whose it is: triggers would take it for a change of today.
    func changeBack(_ table: String, _ id: Int64, _ body: () throws -> Void) throws {
        let check: Int64? = try value("SELECT value FROM row_check WHERE name = ? AND row_id = ?", [table, id])
        let kind = ItemKind.allCases.first { $0.table == table }?.rawValue
        let owner: Int64? = try kind.flatMap { kind in
            try value("SELECT owner_id FROM change WHERE kind = ? AND item_id = ?", [kind, id])
        }
        try body()
        if let check {
            try execute("UPDATE row_check SET value = ? WHERE name = ? AND row_id = ?", [check, table, id])
        }
        if let kind, let owner {
            try execute("UPDATE change SET owner_id = ? WHERE kind = ? AND item_id = ?", [owner, kind, id])
        }
    }
}
