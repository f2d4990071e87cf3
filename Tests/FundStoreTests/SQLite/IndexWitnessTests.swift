import Foundation
internal import GRDB
internal import Synchronization
import FundCore
import TestSupport
import Testing

@testable import FundStore

@Suite struct IndexWitnessTests {
    /// A table with an index whose entries are all equal, but for what is changed in rows behind it.
    private func compare(_ change: String) throws -> (witness: IndexWitness, plans: [[String]]) {
        let folder = try TestFile.makeFolder("witness")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let trace = Mutex<[String]>([])
        let pool = try ConnectionPool(path: folder + "/a.sqlite", isReadOnly: false)
        defer { try? pool.close() }
        return try pool.withWriter { db in
            try db.run(
                script: """
                    CREATE TABLE item (id INTEGER PRIMARY KEY, size INTEGER NOT NULL, name TEXT) STRICT;
                    CREATE INDEX item_size ON item (size, ifnull(name, '')) WHERE size < 100;
                    INSERT INTO item VALUES (1, 5, NULL), (2, 5, NULL), (3, 5, NULL), (4, 500, NULL);
                    CREATE TEMP TABLE kept AS SELECT * FROM sqlite_master WHERE type = 'index';
                    PRAGMA writable_schema = ON;
                    DELETE FROM sqlite_master WHERE type = 'index';
                    PRAGMA writable_schema = RESET;
                    \(change);
                    PRAGMA writable_schema = ON;
                    INSERT INTO sqlite_master SELECT * FROM kept;
                    PRAGMA writable_schema = RESET;
                    """)
            let table = try #require(try db.indexedTable("item"))
            let found = try db.withEntries(of: [table]) {
                try db.base.trace(options: .statement) { event in
                    guard case .statement(let statement) = event else { return }
                    let sql = statement.sql
                    trace.withLock { $0.append(sql) }
                }
                let witness = try IndexWitness(table.indexes[0], of: table, db)
                try db.base.trace(options: [])
                let plans = try trace.withLock { $0 }.map { sql -> [String] in
                    try db.rows("EXPLAIN QUERY PLAN \(sql)") { $0[3] }
                }
                return (witness: witness, plans: plans)
            }
            return try #require(found)
        }
    }

    @Test(arguments: [
        ("SELECT 1", ""), ("INSERT INTO item VALUES (9, 5, NULL)", "9: there, no entry"),
        ("DELETE FROM item WHERE id = 2", "2: gone, entry 5 ''"),
        ("UPDATE item SET size = 6 WHERE id = 3", "3: there, entry 5 ''"),
        ("UPDATE item SET name = 'n' WHERE id = 1", "1: there, entry 5 ''"),
        ("UPDATE item SET size = 200 WHERE id = 1", "1: there, entry 5 ''"),
        ("UPDATE item SET size = 7 WHERE id = 4", "4: there, no entry"),
    ])
    func objects(_ change: String, _ expected: String) throws {
        let found = try compare(change).witness.objections.map { key, objection in
            "\(key.values[0]): \(objection.isRowThere ? "there" : "gone"), "
                + (objection.hasEntry ? "entry \(objection.values.joined(separator: " "))" : "no entry")
        }
        #expect(found.joined(separator: "; ") == expected)
    }

    /// No entry is looked for once for each row.
    @Test func readsIndexesOnce() throws {
        let plans = try compare("SELECT 1").plans
        #expect(plans.count == 2)
        for steps in plans {
            #expect(!steps.contains { $0.contains("CORRELATED") }, "\(steps)")
            #expect(steps.filter { $0.hasPrefix("SCAN entry") }.count == 1, "\(steps)")
        }
    }
}
