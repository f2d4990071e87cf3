internal import GRDB
package import FundCore
internal import Synchronization

/// The last snapshot, the counter it was taken at, and when that was looked at last.
struct DirectoryCache {
    /// What another process changes is seen after this time; what this one changes at once.
    static let maxAge = Duration.milliseconds(50)

    var directory: RoutingDirectory?
    var version: Int64 = -1
    var checkedAt: ContinuousClock.Instant?
}

extension FundStore {
    package func directory() throws -> RoutingDirectory {
        try directoryCache.withLock { cache in
            let now = ContinuousClock.now
            if let directory = cache.directory, let checkedAt = cache.checkedAt,
                now - checkedAt < DirectoryCache.maxAge
            {
                return directory
            }
            return try read("read users and funds") { db in
                let version = try Int64.fetchOne(db, sql: "SELECT value FROM counter WHERE name = 'directory'") ?? 0
                if cache.directory == nil || version != cache.version {
                    cache.directory = try Self.loadDirectory(db)
                    cache.version = version
                }
                cache.checkedAt = now
                return cache.directory ?? RoutingDirectory(users: [], addresses: [], funds: [])
            }
        }
    }

    private static func loadDirectory(_ db: Database) throws -> RoutingDirectory {
        let users = try Row.fetchAll(db, sql: "SELECT * FROM user").map(User.init(row:))
        let addresses = try Row.fetchAll(db, sql: "SELECT address, user_id FROM address").compactMap { row in
            EmailAddress(row[0]).map { (address: $0, user: row[1] as Int64) }
        }
        let aliases = try Row.fetchAll(db, sql: "SELECT fund_id, name FROM fund_alias ORDER BY id")
        let aliasesByFund = Dictionary(grouping: aliases) { $0[0] as Int64 }.mapValues { $0.map { $0[1] as String } }
        let funds = try Row.fetchAll(
            db, sql: "SELECT id, owner_id, name FROM fund WHERE archived_at IS NULL AND deleted_at IS NULL ORDER BY id")
        return RoutingDirectory(
            users: users, addresses: addresses,
            funds: funds.map {
                Fund(id: $0["id"], owner: $0["owner_id"], name: $0["name"], aliases: aliasesByFund[$0["id"]] ?? [])
            })
    }
}

extension User {
    init(row: Row) {
        self.init(
            id: row["id"], email: row["email"], name: row["name"], isDisabled: row["is_disabled"],
            isAdministrator: row["is_administrator"])
    }
}
