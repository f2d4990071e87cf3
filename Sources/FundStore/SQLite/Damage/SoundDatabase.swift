internal import GRDB
import FundCore

/// Rows of a table that could not be read.
struct TableLoss: Hashable, Sendable {
    var table: String
    /// Empty for a table whose rows have no ids.
    var rows: [LostRows]

    /// Words for people: `file 12 to 40`.
    var description: String {
        rows.isEmpty ? "rows of \(table)" : "\(table) \(rows.map(\.description).joined(separator: ", "))"
    }
}

extension [TableLoss] {
    /// Whether rows of a table could not be read.
    func concern(_ table: String) -> Bool { contains { $0.table == table } }

    /// The rows of a table that could not be read.
    func rows(of table: String) -> [LostRows] { filter { $0.table == table }.flatMap(\.rows) }

    /// Whether a row of a table is one that could not be read.
    func contain(_ row: Int64, of table: String) -> Bool { rows(of: table).contains { $0.contains(row) } }

    /// `contain` in SQL, for a row whose id is `id`.
    func contain(sql id: String, of table: String) -> String {
        let ranges = rows(of: table).map { "\(id) BETWEEN \($0.first) AND \($0.last ?? .max)" }
        return ranges.isEmpty ? "0" : "(\(ranges.joined(separator: " OR ")))"
    }
}

/// Copies all that can be read of a database into a new file, with indexes that are made anew.
///
/// REINDEX and VACUUM do not serve: both take the pages of an index into their hands, the damaged ones, too.
struct SoundDatabase {
    /// The new file's connection. The damaged database is attached as `old`, a backup's as `backup`.
    let db: Database
    private(set) var losses: [TableLoss] = []

    private struct Table {
        var name: String
        var hasIDs: Bool
        var columns: [String]
        /// Columns of the key of a table without ids.
        var key: [String]
        var list: String { columns.map(Database.quoted).joined(separator: ", ") }
        var keyList: String { key.map(Database.quoted).joined(separator: ", ") }
        var quoted: String { Database.quoted(name) }
    }

    private let tables: [Table]
    private let shadows: Set<String>

    /// Makes the file at `target`, has `fill` complete what was copied, then makes indexes and triggers, and hands the
    /// finished database to `install`. The caller removes the file.
    ///
    /// - Parameters:
    ///   - backup: the database of a backup; nil for none.
    ///   - missing: rows that are known to be lost though each page can be read.
    static func run<Value>(
        of path: String, backup: String?, at target: String, without missing: [TableLoss] = [],
        fill: (inout SoundDatabase) throws -> Value, install: (Database, Value) throws -> Void
    ) throws {
        var configuration = Configuration()
        configuration.foreignKeysEnabled = false
        configuration.prepareDatabase { RowChecksum.register(in: $0) }
        let queue = try DatabaseQueue(path: target, configuration: configuration)
        defer { try? queue.close() }
        try queue.writeWithoutTransaction { base in
            let db = Database(base: base)
            let value = try db.attaching(path, as: "old") {
                try db.attaching(backup, as: "backup") {
                    let pageBytes: Int64 = try db.value("PRAGMA old.page_size") ?? 4096
                    // Settings of this file alone. A file that is lost with the power is made again.
                    try db.run(
                        script: """
                            PRAGMA main.page_size = \(pageBytes); PRAGMA main.journal_mode = MEMORY;
                            PRAGMA main.synchronous = OFF
                            """)
                    var rebuild = try SoundDatabase(db)
                    // Without a transaction: SQLite ends none in which a page could not be read without an error.
                    try rebuild.copy()
                    rebuild.losses += missing
                    let value = try fill(&rebuild)
                    try rebuild.finish()
                    return value
                }
            }
            try install(db, value)
        }
    }

    private init(_ db: Database) throws {
        self.db = db
        let found = try db.rows("SELECT name, type, wr FROM pragma_table_list WHERE schema = 'old'") {
            (name: $0[0] as String, type: $0[1] as String, isWithoutIDs: $0[2] as Bool)
        }
        shadows = Set(found.filter { $0.type == "shadow" }.map(\.name))
        tables = try found.filter { $0.type == "table" && !$0.name.hasPrefix("sqlite_") }.map { table in
            let columns = try db.rows("SELECT name, pk FROM pragma_table_info(?, 'old')", [table.name]) {
                (name: $0[0] as String, key: $0[1] as Int)
            }
            let key = columns.filter { $0.key > 0 }.sorted { $0.key < $1.key }
            return Table(
                name: table.name, hasIDs: !table.isWithoutIDs, columns: columns.map(\.name), key: key.map(\.name))
        }
    }

    // MARK: What can be read

    private mutating func copy() throws {
        for pragma in ["application_id", "user_version"] {
            let value: Int64 = try db.value("PRAGMA old.\(pragma)") ?? 0
            try db.run(script: "PRAGMA main.\(pragma) = \(value)")
        }
        for sql in try scripts("table") { try db.run(script: sql) }
        for table in tables {
            do {
                try db.execute(
                    """
                    INSERT INTO main.\(table.quoted) (\(table.list))
                    SELECT \(table.list) FROM old.\(table.quoted) NOT INDEXED
                    """)
            } catch let error where Self.isOfRows(error) {
                losses += try table.hasIDs ? salvage(table) : salvageBothEnds(table)
            }
        }
        let numbers: [(String, Int64)]
        do {
            numbers = try db.rows("SELECT name, seq FROM old.sqlite_sequence") { ($0[0], $0[1]) }
        } catch let error where Self.isOfRows(error) {
            numbers = []  // ids above those that are there: the copies of rows have set them
        }
        for (name, number) in numbers {
            try db.execute("DELETE FROM main.sqlite_sequence WHERE name = ?", [name])
            try db.execute("INSERT INTO main.sqlite_sequence (name, seq) VALUES (?, ?)", [name, number])
        }
    }

    /// Statements that make what is of this type, in their order.
    private func scripts(_ type: String) throws -> [String] {
        try db.rows("SELECT name, sql FROM old.sqlite_master WHERE type = ? AND sql IS NOT NULL ORDER BY rowid", [type])
        {
            (name: $0[0] as String, sql: $0[1] as String)
        }.filter { !$0.name.hasPrefix("sqlite_") && !shadows.contains($0.name) }.map(\.sql)
    }

    /// Runs `body`, which reads the damaged database; nil where it cannot be read, or a row is not what the table
    /// allows.
    static func readable<Value>(_ body: () throws -> Value) throws -> Value? {
        do { return try body() } catch let error where isOfRows(error) { return nil }
    }

    /// Whether an error says that a page is damaged, or a row not what the table allows.
    static func isOfRows(_ error: any Error) -> Bool {
        ConnectionPool.isDamage(error) || (error as? DatabaseError)?.resultCode == .SQLITE_CONSTRAINT
    }

    private func salvage(_ table: Table) throws -> [TableLoss] {
        // The later of two changes of an item counts.
        let onConflict = table.name == "change" ? "REPLACE" : "IGNORE"
        let insert = """
            INSERT OR \(onConflict) INTO main.\(table.quoted) (\(table.list))
            SELECT \(table.list) FROM old.\(table.quoted) NOT INDEXED WHERE rowid = ?
            """
        var refused: [LostRows] = []
        let scan = TableScan(db: db, table: "old.\(table.quoted)", columns: table.list, key: "rowid")
        let lost = try scan.run { row in
            let id: Int64 = row[0]
            do {
                if try db.execute(insert, [id]) == 0 { refused.append(LostRows(first: id, last: id)) }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
                refused.append(LostRows(first: id, last: id))
            }
        }
        let all = (lost + refused).sorted { $0.first < $1.first }
        return all.isEmpty ? [] : [TableLoss(table: table.name, rows: all)]
    }

    /// Copies what stands before the damage and behind it, in the order of the key. The rows at its borders stay in two
    /// tables for `takeFromBackup`.
    private func salvageBothEnds(_ table: Table) throws -> [TableLoss] {
        let (rows, key) = ("main.\(table.quoted)", table.keyList)
        let (low, high) = (Self.border("low", table), Self.border("high", table))
        let backwards = table.key.map { "\(Database.quoted($0)) DESC" }.joined(separator: ", ")
        try take(table, order: "ASC")
        try db.run(script: "CREATE TABLE \(low) AS SELECT \(key) FROM \(rows) ORDER BY \(backwards) LIMIT 1")
        try take(table, order: "DESC")
        try db.run(
            script: """
                CREATE TABLE \(high) AS SELECT \(key) FROM \(rows)
                WHERE NOT EXISTS (SELECT 1 FROM \(low)) OR (\(key)) > (SELECT \(key) FROM \(low))
                ORDER BY \(key) LIMIT 1
                """)
        return [TableLoss(table: table.name, rows: [])]
    }

    private static func border(_ name: String, _ table: Table) -> String {
        "temp.\(Database.quoted("\(name) \(table.name)"))"
    }

    /// Copies as many rows from one end as come without an error.
    private func take(_ table: Table, order: String) throws {
        let keys = table.key.map { "\(Database.quoted($0)) \(order)" }.joined(separator: ", ")
        func take(_ count: Int) throws -> Bool {
            do {
                try db.execute(
                    """
                    INSERT OR IGNORE INTO main.\(table.quoted) (\(table.list))
                    SELECT \(table.list) FROM old.\(table.quoted) NOT INDEXED ORDER BY \(keys) LIMIT ?
                    """, [count])
                return true
            } catch let error where Self.isOfRows(error) { return false }
        }
        var (whole, damaged) = (0, 1)
        while damaged < Self.maxRows, try take(damaged) { (whole, damaged) = (damaged, damaged * 2) }
        while whole + 1 < damaged {
            let middle = (whole + damaged) / 2
            if try take(middle) { whole = middle } else { damaged = middle }
        }
    }

    /// Limit of rows, beyond what any table of a store has.
    private static let maxRows = 1 << 32

    // MARK: What comes from a backup

    /// Takes rows that could not be read from the backup, and gives how many came.
    func takeFromBackup(_ loss: TableLoss) throws -> Int {
        guard let table = tables.first(where: { $0.name == loss.table }) else { return 0 }
        let known = try db.columns(of: table.name, in: "backup")
        let list = table.columns.filter(known.contains).map(Database.quoted).joined(separator: ", ")
        guard !list.isEmpty else { return 0 }
        let insert = "INSERT OR IGNORE INTO main.\(table.quoted) (\(list)) SELECT \(list) FROM backup.\(table.quoted)"
        guard table.hasIDs else {
            let (key, low, high) = (table.keyList, Self.border("low", table), Self.border("high", table))
            return try db.execute(
                """
                \(insert) WHERE (NOT EXISTS (SELECT 1 FROM \(low)) OR (\(key)) > (SELECT \(key) FROM \(low)))
                    AND (NOT EXISTS (SELECT 1 FROM \(high)) OR (\(key)) < (SELECT \(key) FROM \(high)))
                """)
        }
        return try loss.rows.reduce(0) { count, rows in
            try count + db.execute("\(insert) WHERE rowid BETWEEN ? AND ?", [rows.first, rows.last ?? .max])
        }
    }

    /// Whether all rows of what was lost were there when the backup was made: ids come in their order.
    func isCoveredByBackup(_ loss: TableLoss) throws -> Bool {
        guard let table = tables.first(where: { $0.name == loss.table }), table.hasIDs,
            // A backup of before may lack the table.
            try !db.columns(of: table.name, in: "backup").isEmpty
        else { return false }
        let newest: Int64 = try db.value("SELECT max(rowid) FROM backup.\(table.quoted)") ?? 0
        return loss.rows.allSatisfy { $0.last ?? .max <= newest }
    }

    // MARK: End

    private func finish() throws {
        for type in ["index", "trigger", "view"] { for sql in try scripts(type) { try db.run(script: sql) } }
    }
}

extension Database {
    /// Puts all of this database in the place of another in one transaction of that
    /// (https://www.sqlite.org/c3ref/backup_finish.html): who reads there goes on with what was there before.
    func replace(_ other: Database) throws {
        do { try base.backup(to: other.base) } catch let error as DatabaseError {
            // Its message is that of this database, to which nothing has happened.
            throw DatabaseError(resultCode: error.extendedResultCode)
        }
    }
}
