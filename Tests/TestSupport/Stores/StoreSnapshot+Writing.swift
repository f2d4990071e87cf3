@testable internal import FundStore
internal import GRDB

extension StoreSnapshot {
    /// Writes rows behind the store's back, as many as a test wants in one go.
    package static func execute(_ sql: String, in store: String) throws {
        var configuration = GRDB.Configuration()
        configuration.prepareDatabase { RowChecksum.register(in: $0) }  // triggers ask for it
        // The store may be writing, too.
        configuration.busyMode = .timeout(30)
        let database = try DatabaseQueue(path: store + "/fundmail.sqlite", configuration: configuration)
        defer { try? database.close() }
        try database.write { try $0.execute(sql: sql) }
    }
}
