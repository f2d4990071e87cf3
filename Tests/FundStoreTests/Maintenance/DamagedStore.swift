internal import Foundation
import FundCore
internal import Testing

@testable import FundStore

/// A store whose database is damaged while it is closed.
final class DamagedStore {
    let harness: StoreHarness
    var backup: String { harness.folder + "/backup" }
    private var path: String { harness.store.connection.layout.database }

    init() async throws { harness = try await StoreHarness() }

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

    /// Its leaves in their order.
    private func pages(of name: String) throws -> [Int64] {
        try harness.store.connection.read("look for pages") { db in
            try db.values("SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path", [name])
        }
    }

    private func change(_ body: (inout Data) throws -> Void) throws {
        let store = harness.store
        try store.connection.locked("write all to the file") { db in _ = store.connection.truncateLog(db) }
        try store.close()
        var bytes = try bytes
        try body(&bytes)
        try bytes.write(to: URL(fileURLWithPath: path))
        try harness.reopen()
    }
}
