import FundCore

extension Database {
    /// Runs what makes a row again what it was. Its checksum stays that of what was written: triggers would take it for
    /// a change of today.
    func changeBack(_ table: String, _ id: Int64, _ body: () throws -> Void) throws {
        let check: Int64? = try value("SELECT value FROM row_check WHERE name = ? AND row_id = ?", [table, id])
        try body()
        if let check {
            try execute("UPDATE row_check SET value = ? WHERE name = ? AND row_id = ?", [check, table, id])
        }
    }
}
