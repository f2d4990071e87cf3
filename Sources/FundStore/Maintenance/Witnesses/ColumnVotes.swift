import FundCore

/// Votes of indexes on one column of a row, or on whether the row is there.
struct ColumnVotes {
    /// Value in the row, as an SQL literal.
    private(set) var inRow = ""
    /// Count of indexes by the other values that they have.
    private(set) var against: [String: Int] = [:]
    private(set) var agreeing = 0

    /// Votes on each column of a row.
    static func on(_ key: RowKey, _ witnesses: [IndexWitness], _ db: Database) throws -> [String: ColumnVotes] {
        var votes: [String: ColumnVotes] = [:]
        func vote(_ column: String, _ inRow: String, _ inIndex: String) {
            var all = votes[column] ?? ColumnVotes()
            all.inRow = inRow
            if inRow == inIndex { all.agreeing += 1 } else { all.against[inIndex, default: 0] += 1 }
            votes[column] = all
        }
        for witness in witnesses {
            let (index, objection) = (witness.index, witness.objections[key])
            let own = index.terms.map { "quote(\($0))" } + ["coalesce(\(index.condition ?? "1"), 0)"]
            let row = try db.row(
                "SELECT \(own.joined(separator: ", ")) FROM \(SQL.scan(Database.quoted(key.table))) "
                    + "WHERE \(key.condition())")
            guard let row else { continue }
            let isMeant = row[index.terms.count] as Bool
            let hasEntry = objection?.hasEntry ?? isMeant
            // One that is left out for want of a value says that there is none.
            let left = index.terms.firstIndex { index.condition == "\($0) IS NOT NULL" }
            if let left {
                if !hasEntry { vote(index.terms[left], row[left], "NULL") }
            } else if let condition = index.condition {
                let (column, isDenied) = Self.plain(condition)
                vote(column, isMeant != isDenied ? "1" : "0", hasEntry != isDenied ? "1" : "0")
            } else if !hasEntry {
                vote(RowWitnesses.existence, "1", "0")
            }
            guard hasEntry else { continue }
            vote(RowWitnesses.existence, "1", "1")
            for (number, term) in index.terms.enumerated() where index.condition != "\(term) IS NULL" {
                let inRow: String = row[number]
                let inIndex = objection.map { $0.values[number] } ?? inRow
                if let column = SQL.column(ofParent: term) {
                    vote(column, inRow == "0" ? "NULL" : inRow, inIndex == "0" ? "NULL" : inIndex)
                } else {
                    vote(term, inRow, inIndex)
                }
            }
        }
        return votes
    }

    /// A condition without its NOT, and whether it had one.
    private static func plain(_ condition: String) -> (String, isDenied: Bool) {
        condition.hasSuffix(" IS NOT NULL")
            ? (condition.replacing(" IS NOT NULL", with: " IS NULL"), true) : (condition, false)
    }
}
