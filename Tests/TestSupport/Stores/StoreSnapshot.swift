internal import Crypto
internal import Foundation
internal import FundCore
internal import FundStore
internal import GRDB

/// All that a store holds, in a form in which two stores are equal exactly when they hold the same: rows without their
/// numbers and times, with what a number refers to written out in its place, and contents with the hash of their bytes.
package struct StoreSnapshot: Equatable, Sendable {
    /// By table, sorted.
    package var rows: [String: [String]] = [:]
    /// `raw/abcd… sha256` and `blobs/abcd… sha256`, sorted.
    package var files: [String] = []
    /// Names in `tmp`, which should be empty after every run that was completed.
    package var leftovers: [String] = []

    /// Columns that tell how often a message was offered and how that run saw it: a replay after a crash offers it once
    /// more.
    package static let attempts: Set<String> = ["delivery.outcome", "delivery.reason"]

    /// - Parameter ignoring: `table.column`s, or tables. Rows that are alike without such a column count once.
    package init(store: String, ignoring: Set<String> = Self.attempts) throws {
        var configuration = Configuration()
        configuration.readonly = false  // a WAL that a crash left needs a writer to be read
        let database = try DatabaseQueue(path: store + "/fundmail.sqlite", configuration: configuration)
        rows = try database.read { database in
            try Reader(database: database, ignoring: ignoring).tables()
        }
        try database.close()
        files = try Self.contents(of: store).sorted()
        leftovers = TestFile.names(in: store + "/tmp").filter { !$0.hasPrefix(".") }
    }

    private static func contents(of path: String) throws -> [String] {
        let database = try DatabaseQueue(path: path + "/fundmail.sqlite")
        defer { try? database.close() }
        let rows = try database.read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT 'raw', lower(hex(digest)), size FROM message WHERE segment IS NOT NULL
                    UNION ALL SELECT 'blobs', lower(hex(digest)), size FROM blob
                    """
            ).map { (kind: $0[0] as String, digest: $0[1] as String, size: $0[2] as Int64) }
        }
        // A backup is not to become a store by that.
        let store = try FundStore.open(at: path, mode: .readOnly)
        defer { try? store.close() }
        return try rows.map { row in
            var hash = SHA256()
            if let digest = ContentDigest(hex: row.digest) {
                let content = try store.library.content(of: digest, size: row.size)
                try content.read(0..<row.size) { hash.update(bufferPointer: $0) }
            }
            return "\(row.kind)/\(row.digest) \(hash.finalize().map { String(format: "%02x", $0) }.joined())"
        }
    }

    /// The database of a store that another process has open. It is locked for a moment when that process opens it
    /// first, or recovers what a killed one left.
    private static func shared(in store: String) throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.busyMode = .timeout(30)
        return try DatabaseQueue(path: store + "/fundmail.sqlite", configuration: configuration)
    }

    /// Rows of a table, also beside a process that writes.
    package static func rowCount(of table: String, in store: String) throws -> Int {
        let database = try shared(in: store)
        defer { try? database.close() }
        return try database.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \"\(table)\"") ?? 0 }
    }

    /// Whether a blob of this digest is known.
    package static func holdsBlob(_ digest: String, in store: String) throws -> Bool {
        let database = try shared(in: store)
        defer { try? database.close() }
        return try database.read { database in
            try Bool.fetchOne(database, sql: "SELECT EXISTS (SELECT 1 FROM blob WHERE digest = x'\(digest)')") ?? false
        }
    }

    /// Contents whose name is not the hash of their bytes.
    package var wrongFiles: [String] {
        files.filter { line in
            let halves = line.split(separator: " ")
            return halves[0].split(separator: "/").last != halves[1]
        }
    }

    /// Lines that only one of the two holds, at most a handful of lines for each table.
    package func difference(from other: StoreSnapshot) -> String {
        var lines: [String] = []
        func compare(_ what: String, _ mine: [String], _ others: [String]) {
            let change = mine.difference(from: others)
            for case .insert(_, let element, _) in change.insertions.prefix(5) { lines.append("+ \(what): \(element)") }
            for case .remove(_, let element, _) in change.removals.prefix(5) { lines.append("- \(what): \(element)") }
        }
        for table in Set(rows.keys).union(other.rows.keys).sorted() {
            compare(table, rows[table] ?? [], other.rows[table] ?? [])
        }
        compare("files", files, other.files)
        compare("tmp", leftovers, other.leftovers)
        return lines.joined(separator: "\n")
    }
}

/// Writes rows out, following references.
private struct Reader {
    let database: Database
    let ignoring: Set<String>

    private struct Table {
        var columns: [String]
        var references: [String: String] = [:]
    }

    /// All but what is random, counts attempts, or tells a copy.
    private static let counters = """
         WHERE name NOT LIKE 'clock\\_%' ESCAPE '\\' AND name NOT IN ('store', 'history', 'is_copy', 'log_position')
        """

    func tables() throws -> [String: [String]] {
        let names = try String.fetchAll(
            database,
            sql: """
                SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'
                AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND name NOT LIKE 'grdb\\_%' ESCAPE '\\'
                -- Made of the others, and of the order in which they were written.
                AND name NOT LIKE 'search\\_%' ESCAPE '\\' AND name <> 'change'
                AND name NOT IN ('segment', 'dead_record', 'backup_state')
                """)
        let known = try Dictionary(
            uniqueKeysWithValues: names.filter { !ignoring.contains($0) }.map { ($0, try describe($0)) })
        var memory: [String: String] = [:]
        return try known.mapValues { _ in [] as [String] }.merging(
            known.map { name, table in
                let times = name == "counter" ? Self.counters : ""
                let rows = try Row.fetchAll(database, sql: "SELECT * FROM \"\(name)\"\(times)")
                let texts = try rows.map { try text($0, name, table, known, &memory, depth: 0) }
                let isPartial = ignoring.contains { $0.hasPrefix(name + ".") }
                return (name, isPartial ? Set(texts).sorted() : texts.sorted())
            }, uniquingKeysWith: { $1 })
    }

    private func describe(_ name: String) throws -> Table {
        var table = Table(columns: [])
        for key in try Row.fetchAll(database, sql: "PRAGMA foreign_key_list(\"\(name)\")") {
            table.references[key["from"]] = key["table"] as String
        }
        for column in try Row.fetchAll(database, sql: "PRAGMA table_info(\"\(name)\")") {
            let column: String = column["name"]
            let isNumber = column == "id" && table.references[column] == nil
            let isTime = column == "at" || column.hasSuffix("_at")
            let isLocation = ["segment", "record_offset", "record_bytes"].contains(column)
            if !isNumber, !isTime, !isLocation, !ignoring.contains("\(name).\(column)") { table.columns.append(column) }
        }
        return table
    }

    private func text(
        _ row: Row, _ name: String, _ table: Table, _ known: [String: Table], _ memory: inout [String: String],
        depth: Int
    ) throws -> String {
        try table.columns.map { column in
            let value: DatabaseValue = row[column]
            guard let target = table.references[column], !value.isNull, let other = known[target] else {
                return "\(column)=\(value.description)"
            }
            guard depth < 4 else { return "\(column)=…" }
            let key = "\(target) \(value) \(depth)"
            if let written = memory[key] { return "\(column)={\(written)}" }
            let found = try Row.fetchOne(
                database, sql: "SELECT * FROM \"\(target)\" WHERE rowid = ?", arguments: [value])
            let written =
                try found.map { try text($0, target, other, known, &memory, depth: depth + 1) } ?? "missing!"
            memory[key] = written
            return "\(column)={\(written)}"
        }.joined(separator: " ")
    }
}
