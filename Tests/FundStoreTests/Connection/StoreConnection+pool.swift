import FundCore

@testable import FundStore

extension StoreConnection {
    /// The connections to rows in the store's folder, for tests of SQLite alone. Throws `invalid` for rows on a server.
    var pool: ConnectionPool {
        get throws {
            guard case .file(let pool) = engine else {
                throw StoreError(.invalid, "test SQLite", "the rows are on a server")
            }
            return pool
        }
    }
}
