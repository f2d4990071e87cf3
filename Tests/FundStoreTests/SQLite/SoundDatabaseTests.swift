import Foundation
import TestSupport
import Testing

@testable import FundStore

/// Tables and indexes of our own, pages of which are overwritten.
@Suite struct SoundDatabaseTests {
    private static let rows = 20_000

    private static let columns = ["plain": "id, key, size", "keyed": "a, b, c"]

    /// The database with which all cases begin, and the sums of its rows by table.
    private static let beginning = Result { try makeDatabase() }

    /// `plain` has ids, `keyed` has none.
    private static func makeDatabase() throws -> (bytes: Data, sums: [String: Int64]) {
        let folder = try TestFile.makeFolder("rebuild")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/a.sqlite"
        let pool = try ConnectionPool(path: path, isReadOnly: false)
        try pool.withWriter { db in
            try db.run(
                script: """
                    CREATE TABLE plain (
                        id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL UNIQUE, size INTEGER) STRICT;
                    CREATE INDEX plain_size ON plain (size);
                    CREATE TABLE keyed (a INTEGER, b TEXT, c TEXT, PRIMARY KEY (a, b)) STRICT, WITHOUT ROWID;
                    CREATE TABLE log (text TEXT) STRICT;
                    CREATE TRIGGER plain_insert AFTER INSERT ON plain BEGIN INSERT INTO log VALUES (new.key); END;
                    CREATE VIRTUAL TABLE words USING fts5(text, content = '', columnsize = 0, detail = none);
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                        INSERT INTO plain (id, key, size) SELECT i * 3, 'key' || i || hex(zeroblob(20)), i % 97 FROM n;
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(rows))
                        INSERT INTO keyed SELECT i / 7, 'b' || i, 'c' || i FROM n;
                    DELETE FROM log;
                    """)
            db.truncateWAL(waitingUpTo: 0)
        }
        let sums: [String: Int64] = try pool.read { db in
            try columns.keys.reduce(into: [:]) { $0[$1] = try sum(of: $1, db) }
        }
        try pool.close()
        return (try Data(contentsOf: URL(fileURLWithPath: path)), sums)
    }

    private static func sum(of table: String, _ db: Database) throws -> Int64? {
        try db.value(
            "SELECT sum(\(RowChecksum.function)(\(columns[table] ?? "")) % 1000003) FROM \(table)")
    }

    private static func zeroPages(_ path: String, of name: String, _ type: String, _ wanted: [Double]) throws {
        let pages: [Int64] = try DatabaseFile.read(path) { db in
            try db.values(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = ? ORDER BY path", [name, type])
        }
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for part in wanted {
            let start = Int(try #require(pages.dropFirst(Int(Double(pages.count - 1) * part)).first) - 1) * 4096
            bytes.replaceSubrange(start..<(start + 4096), with: Data(count: 4096))
        }
        try bytes.write(to: URL(fileURLWithPath: path))
    }

    /// Where pages stand in the order of the table, from 0 to 1.
    @Test(arguments: [
        ("plain", "leaf", [0]), ("plain", "leaf", [0.3, 0.301, 0.31, 0.8]), ("plain", "leaf", [1]),
        ("plain", "internal", [0.5]), ("plain", "internal", [0, 1]), ("sqlite_autoindex_plain_1", "leaf", [0.5]),
        ("plain_size", "leaf", [0, 1]), ("plain_size", "internal", [0]), ("keyed", "leaf", [0.5]),
        ("keyed", "leaf", [0.2, 0.7]),
        ("keyed", "leaf", [1]), ("log", "leaf", [0]),
    ])
    func takesWhatCanBeReadAndTheRestFromABackup(_ name: String, _ type: String, _ pages: [Double]) throws {
        let beginning = try Self.beginning.get()
        let folder = try TestFile.makeFolder("rebuild")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (path, backup) = (folder + "/a.sqlite", folder + "/backup.sqlite")
        for copy in [path, backup] { try beginning.bytes.write(to: URL(fileURLWithPath: copy)) }
        try Self.zeroPages(path, of: name, type, pages)
        let pool = try ConnectionPool(path: path, isReadOnly: false)
        defer { try? pool.close() }
        let problems = try pool.readAroundDamage { try $0.integrityProblems() }
        let table = name.contains("plain") ? "plain" : name
        #expect(Set(problems.map(\.table)) == [table], "\(problems)")

        // Who reads goes on with what was there.
        var (losses, readable): ([TableLoss], Int?) = ([], nil)
        try pool.withWriter { live in
            try SoundDatabase.run(of: path, backup: backup, at: folder + "/new.sqlite") { rebuild in
                losses = rebuild.losses
                readable = try rebuild.db.value("SELECT count(*) FROM main.\(table)")
                for loss in losses { _ = try rebuild.takeFromBackup(loss) }
            } install: { rebuilt, _ in
                try rebuilt.replace(live)
            }
        }
        let isOfRows = name == table
        #expect(losses.map(\.table) == (isOfRows ? [table] : []))
        // Not much more is lost than what stood on the damaged pages.
        if type == "leaf", table == "plain" {
            let lost = Self.rows - (readable ?? 0)
            #expect(isOfRows ? (1...(pages.count * 100)).contains(lost) : lost == 0, "\(lost)")
        }
        try pool.read { db in
            #expect(try db.problems().integrity == [])
            for table in Self.columns.keys {
                #expect(try db.value("SELECT count(*) FROM \(table)") == Self.rows)
                let sum: Int64? = try Self.sum(of: table, db)
                #expect(sum != nil && sum == beginning.sums[table])
            }
            #expect(try db.value("SELECT seq FROM sqlite_sequence") == Self.rows * 3)
            #expect(try db.value("SELECT count(*) FROM log") == 0)
        }
        // Triggers, indexes and the search are there again.
        try pool.write { db in
            try db.execute("INSERT INTO plain (key, size) VALUES ('new', 1)")
            try db.execute("INSERT INTO words (rowid, text) VALUES (1, 'a b')")
            #expect(try db.value("SELECT text FROM log") == "new")
            #expect(try db.value("SELECT id FROM plain WHERE key = 'new'") == Self.rows * 3 + 1)
        }
    }
}
