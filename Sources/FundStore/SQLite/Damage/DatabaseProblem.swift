internal import GRDB

/// A part of a database that cannot be read or contradicts itself.
struct DatabaseProblem: Hashable, Sendable {
    /// Table that is damaged; nil for what belongs to none, like the list of free pages.
    var table: String?
    var text: String
}

extension Database {
    /// Findings of SQLite's own check of the file. A damaged page of one table hides nothing of the others.
    func integrityProblems() throws -> [DatabaseProblem] {
        var texts: [String] = []
        do {
            texts = try checkTexts("PRAGMA integrity_check")
            if texts.isEmpty { return [] }
        } catch let error where ConnectionPool.isDamage(error) { texts = ["\(error)"] }
        // The check of all tables ends at the first page that is no page of a table any more.
        let found = try tables().flatMap { table in
            do {
                return try checkTexts("PRAGMA integrity_check(\(Self.quoted(table)))").map {
                    DatabaseProblem(table: table, text: $0)
                }
            } catch let error where ConnectionPool.isDamage(error) {
                return [DatabaseProblem(table: table, text: "a page of \(table) or of an index of it is damaged")]
            }
        }
        return found.isEmpty ? texts.map { DatabaseProblem(table: nil, text: $0) } : found
    }

    private func checkTexts(_ sql: String) throws -> [String] {
        try String.fetchAll(base, sql: sql).filter { $0 != "ok" }
    }

    /// Rows that refer to rows that are not there, one text each, as far as they can be read.
    func danglingRows() throws -> [String] {
        try tables().flatMap { table in
            do {
                return try GRDB.Row.fetchAll(base, sql: "PRAGMA foreign_key_check(\(Self.quoted(table)))").map(
                    \.description)
            } catch let error where ConnectionPool.isDamage(error) { return [] }
        }
    }

    /// Findings of SQLite's own check, one text each, and the rows that refer to missing ones.
    /// None for rows on a server, which looks after its pages and refuses such rows.
    func problems() throws -> (integrity: [String], references: [String]) {
        guard case .sqlite = self else { return ([], []) }
        return (try integrityProblems().map(\.text), try danglingRows())
    }

    /// Whether SQLite's quick check of the file finds nothing, which compares no indexes with their tables.
    func passesQuickCheck() throws -> Bool { try checkTexts("PRAGMA quick_check(1)").isEmpty }

    /// Tables that have pages of their own, those of the search index included, in the order in which they were made.
    func tables() throws -> [String] {
        try values("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid")
    }

    /// A name as SQL takes it whatever it is.
    static func quoted(_ name: String) -> String { "\"\(name.replacing("\"", with: "\"\""))\"" }
}

extension Database {
    /// A row that refers to one that is not there.
    struct DanglingRow: Hashable {
        var table: String
        var id: Int64
    }

    /// Rows of tables with ids that refer to missing ones.
    func danglingRowIDs() throws -> [DanglingRow] {
        try GRDB.Row.fetchAll(base, sql: "PRAGMA foreign_key_check").compactMap { row in
            guard let table: String = row[0], let id: Int64 = row[1] else { return nil }
            return DanglingRow(table: table, id: id)
        }
    }

    /// Removes such a row, and gives how many that were.
    func remove(_ row: DanglingRow) throws -> Int {
        try execute("DELETE FROM \(Self.quoted(row.table)) WHERE rowid = ?", [row.id])
    }

    /// Runs `body`, which removes rows that their indexes may not know: SQLite takes such a row for damage otherwise.
    func withoutIndexChecks<Value>(_ body: () throws -> Value) throws -> Value {
        try run(script: "PRAGMA writable_schema = ON")
        defer { try? run(script: "PRAGMA writable_schema = OFF") }
        return try body()
    }

    /// Makes indexes anew in one transaction, and mends rows. False when that does not mend the database: a page is
    /// damaged, or the rows are not what an index allows.
    ///
    /// - Parameters:
    ///   - held: tables whose indexes stay as they are.
    ///   - removeRows: removes rows that indexes may not know.
    func remakeIndexes(
        butOf held: Set<String> = [], removeRows: (Database) throws -> Void = { _ in },
        _ mendRows: (Database) throws -> Void
    ) throws -> Bool {
        do {
            try transaction {
                try withoutIndexChecks { try removeRows(self) }
                let indexes: [(name: String, table: String)] = try rows(
                    "SELECT name, tbl_name FROM sqlite_master WHERE type = 'index'"
                ) { ($0[0], $0[1]) }
                for index in indexes where !held.contains(index.table) {
                    try run(script: "REINDEX \(Self.quoted(index.name))")
                }
                try mendRows(self)
                guard try integrityProblems().allSatisfy({ $0.table.map(held.contains) ?? false }) else {
                    throw StillDamaged()
                }
            }
        } catch is StillDamaged {
            return false
        } catch let error as DatabaseError
            where ConnectionPool.isDamage(error) || error.resultCode == .SQLITE_CONSTRAINT
        {
            return false
        }
        return true
    }
}

/// Ends a transaction whose indexes do not mend the database.
private struct StillDamaged: Error {}
