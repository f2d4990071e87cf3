internal import Foundation
import FundCore
internal import Testing

@testable import FundStore

/// A store whose database is damaged while it is closed.
final class DamagedStore {
    let harness: StoreHarness
    var backup: String { harness.folder + "/backup" }
    private var path: String { harness.store.connection.location.database }

    init() async throws { harness = try await StoreHarness() }

    /// Begins with a copy of another store.
    init(_ template: StoreTemplate) throws { harness = try StoreHarness(template) }

    var bytes: Data { get throws { try Data(contentsOf: URL(fileURLWithPath: path)) } }

    /// Overwrites a page of a table or an index: a leaf in its middle, or the last one, or its only page.
    func zeroPage(of name: String, isLast: Bool = false) throws {
        let pages = try pages(of: name)
        let page = try #require(
            isLast ? pages.last : pages.dropLast().dropFirst(max(0, pages.count / 2 - 1)).first ?? pages.first)
        try change { bytes in
            let start = Int(page - 1) * 4096
            bytes.replaceSubrange(start..<(start + 4096), with: Data(count: 4096))
        }
    }

    /// A page as it is now.
    struct Page: Sendable {
        var number: Int64
        var bytes: Data
    }

    /// Pages of a table or an index, in their order.
    func read(_ name: String) throws -> [Page] {
        let numbers = try pages(of: name)
        var found: [Page] = []
        try change { bytes in
            found = numbers.map { Page(number: $0, bytes: bytes.subdata(in: Self.range(of: $0))) }
        }
        return found
    }

    /// Writes pages as they were before: what was written since was lost.
    func write(_ pages: [Page]) throws {
        try change { bytes in
            for page in pages { bytes.replaceSubrange(Self.range(of: page.number), with: page.bytes) }
        }
    }

    private static func range(of page: Int64) -> Range<Int> { Int(page - 1) * 4096..<Int(page) * 4096 }

    /// Changes the first such text on the pages of a table.
    func replace(_ text: String, by other: String, on name: String) throws {
        let pages = try pages(of: name)
        try change { bytes in
            for page in pages {
                let start = Int(page - 1) * 4096
                guard let range = bytes.range(of: Data(text.utf8), in: start..<(start + 4096)) else { continue }
                return bytes.replaceSubrange(range, with: Data(other.utf8))
            }
            Issue.record("\(text) is not on the pages of \(name)")
        }
    }

    /// Leaves of a table or an index, in their order.
    private func pages(of name: String) throws -> [Int64] {
        try harness.store.connection.read("look for pages") { db in
            try db.values("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", [name])
        }
    }

    /// Changes rows of a table behind its indexes and triggers, as a flipped bit does.
    func changeRows(of table: String, _ sql: String) throws {
        let store = harness.store
        try store.connection.locked("write all to the file") { db in _ = store.connection.truncateWAL(db) }
        try store.close()
        let hidden = "tbl_name = '\(table)' AND type <> 'table' AND sql IS NOT NULL"
        var entries: [[any SQLValue]] = []
        try DatabaseFile.change(path) { db in
            try db.run(script: "PRAGMA writable_schema = ON")
            entries = try db.rows("SELECT type, name, rootpage, sql FROM sqlite_master WHERE \(hidden)") {
                [$0[0] as String, $0[1] as String, $0[2] as Int64, $0[3] as String]
            }
            try db.execute("DELETE FROM sqlite_master WHERE \(hidden)")
        }
        try DatabaseFile.change(path) { try $0.execute(sql) }
        try DatabaseFile.change(path) { db in
            try db.run(script: "PRAGMA writable_schema = ON")
            for entry in entries {
                try db.execute(
                    "INSERT INTO sqlite_master (type, name, tbl_name, rootpage, sql) VALUES (?, ?, '\(table)', ?, ?)",
                    entry)
            }
        }
        try harness.reopen()
    }

    private func change(_ body: (inout Data) throws -> Void) throws {
        let store = harness.store
        try store.connection.locked("write all to the file") { db in _ = store.connection.truncateWAL(db) }
        try store.close()
        var bytes = try bytes
        try body(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
        try harness.reopen()
    }
}
