import FundCore

extension [TableLoss] {
    /// Rows of a table that came in the place of lost ones and that no checksum proves.
    func doubts(of table: String, _ db: Database) throws -> [RowChecks.Doubt] {
        try rows(of: table).flatMap {
            try RowChecks.doubts(of: table, $0.first...Swift.max($0.first, $0.last ?? .max), db)
        }
    }
}
