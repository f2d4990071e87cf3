import TestSupport
internal import Foundation

@testable import FundStore

/// An empty database where a store has its own, in a folder for itself.
final class SchemaHarness {
    let location: StoreLocation
    let pool: ConnectionPool

    init() throws {
        location = StoreLocation(root: try TestFile.makeFolder("schema"))
        pool = try ConnectionPool(path: location.database, isReadOnly: false)
    }

    deinit {
        try? pool.close()
        try? FileManager.default.removeItem(atPath: location.root)
    }

    func run(_ script: String) throws { try pool.withWriter { try $0.run(script: script) } }

    /// The first column of all rows.
    func texts(_ sql: String) throws -> [String] { try pool.read { try $0.values(sql) } }

    func hasTable(_ name: String) throws -> Bool {
        try texts("SELECT name FROM sqlite_master WHERE type = 'table'").contains(name)
    }
}
