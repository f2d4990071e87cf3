@testable import FundStore

extension StoreConnection {
    /// The connections to rows in the store's folder, for tests of SQLite alone.
    var pool: ConnectionPool {
        guard case .file(let pool) = engine else { preconditionFailure("the rows are on a server") }
        return pool
    }
}
