import FundCore

/// Ids of a table whose rows cannot be read.
struct LostRows: Hashable, Sendable, CustomStringConvertible {
    var first: Int64
    /// Last of the ids; nil where no row behind the damage can be read, and it is not known.
    var last: Int64?

    func contains(_ id: Int64) -> Bool { id >= first && id <= last ?? .max }

    var description: String {
        guard let last else { return "from \(first) on" }
        return first == last ? "\(first)" : "\(first) to \(last)"
    }
}

/// Reads all rows of a table that can be read, by the table alone: no index is asked, and damaged pages are passed
/// over.
struct TableScan {
    /// Ids that are tried one by one behind a damaged row; a page of small rows holds some hundred.
    private static let singleSteps: Int64 = 512
    /// Limit of tries, after which the scan takes it that nothing behind can be read.
    private static let maxTries = 100_000

    let db: Database
    /// Name of the table as SQL has it, with its schema.
    let table: String
    /// Names of the columns as SQL has them, separated by commas.
    let columns: String
    /// The column that is the rowid.
    let key: String

    /// Hands over every row that can be read, in the order of the ids; `columns` begin at 1, the id stands at 0.
    /// Returns the ids between those that could be read.
    func run(_ body: (Row) throws -> Void) throws -> [LostRows] {
        var (lost, last, start): ([LostRows], Int64?, Int64) = ([], nil, .min)
        while true {
            do {
                let sql = "SELECT \(key), \(columns) FROM \(table) NOT INDEXED WHERE \(key) >= ? ORDER BY \(key)"
                try db.forEach(sql, [start]) { row in
                    try body(row)
                    last = row[0]
                    return true
                }
                return lost
            } catch let error where ConnectionPool.isDamage(error) {
                // Ids begin at 1.
                let first = max(start, last.map { $0 + 1 } ?? 1)
                guard let next = try readable(from: first) else { return lost + [LostRows(first: first, last: nil)] }
                // A row whose last bytes are on a damaged page is found and cannot be read.
                let isHalf = try !canRead(next)
                if next > first || isHalf { lost.append(LostRows(first: first, last: isHalf ? next : next - 1)) }
                start = isHalf ? next + 1 : next
            }
        }
    }

    private enum Probe { case row(Int64), nothing, damage }

    private func probe(_ id: Int64) throws -> Probe {
        do {
            let sql = "SELECT \(key) FROM \(table) NOT INDEXED WHERE \(key) >= ? ORDER BY \(key) LIMIT 1"
            let found: Int64? = try db.value(sql, [id])
            return found.map { .row($0) } ?? .nothing
        } catch let error where ConnectionPool.isDamage(error) { return .damage }
    }

    private func canRead(_ id: Int64) throws -> Bool {
        do {
            _ = try db.row("SELECT \(columns) FROM \(table) NOT INDEXED WHERE \(key) = ?", [id])
            return true
        } catch let error where ConnectionPool.isDamage(error) { return false }
    }

    /// The first id from `id` on whose row can be found; nil where there is none.
    private func readable(from id: Int64) throws -> Int64? {
        var (bad, step, tries) = (id - 1, Int64(1), 0)
        while tries < Self.maxTries {
            let (next, isOver) = bad.addingReportingOverflow(step)
            guard !isOver else { return nil }
            switch try probe(next) {
            case .row(let found): return try first(after: bad, found)
            case .nothing: return nil
            case .damage: bad = next
            }
            tries += 1
            if tries > Self.singleSteps { step = step.multipliedReportingOverflow(by: 2).partialValue }
            guard step > 0 else { return nil }
        }
        return nil
    }

    /// The first row behind `bad`, whose page is damaged, up to `found`: what separates two pages is no id of a row.
    private func first(after bad: Int64, _ found: Int64) throws -> Int64 {
        var (low, high, first) = (bad, found, found)
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if case .row(let other) = try probe(middle) {
                (high, first) = (middle, min(first, other))
            } else {
                low = middle
            }
        }
        return first
    }
}
