internal import GRDB
package import FundCore
internal import Synchronization

/// The last version that was read, and when.
struct AccountVersionCache {
    /// What another process changes is seen after this time; what this one changes at once.
    static let maxAge = Duration.milliseconds(50)

    var version: Int64 = 0
    var checkedAt: ContinuousClock.Instant?
    /// Grows with every write of this process, so that a version that was read before it is not kept after it.
    var writes = 0
}

extension FundStore: AccountStore {
    package func account(named address: String) async throws -> Account? {
        guard let wanted = EmailAddress(address) else { return nil }
        return try await blocking { [self] in
            try read("find a user") { db in
                try Row.fetchOne(
                    db,
                    sql: "SELECT user.* FROM address JOIN user ON user.id = address.user_id WHERE address.address = ?",
                    arguments: [wanted.description]
                ).map(Account.init(row:))
            }
        }
    }

    package func account(_ user: User.ID) async throws -> Account? {
        try await blocking { [self] in
            try read("find a user") { db in
                try Row.fetchOne(db, sql: "SELECT * FROM user WHERE id = ?", arguments: [user]).map(Account.init(row:))
            }
        }
    }

    package func setPasswordHash(_ hash: String?, of user: User.ID, actor: String) async throws {
        let operation = "set a password"
        try await blocking { [self] in
            try write(operation, .reserve) { db in
                let email = try UserRows.email(of: user, db, operation)
                try db.execute(sql: "UPDATE user SET password = ? WHERE id = ?", arguments: [hash, user])
                try Self.revokeTokens(of: user, db)
                let detail = hash == nil ? "none" : ""
                try Audit.write(db, actor: actor, action: "user.password", subject: email, detail: detail)
            }
        }
    }

    package func changePasswordHash(
        _ old: String, to new: String, of user: User.ID, keeping token: TokenRecord.ID
    ) async throws -> Bool {
        let operation = "change a password"
        return try await blocking { [self] in
            try write(operation, .reserve) { db in
                let email = try UserRows.email(of: user, db, operation)
                try db.execute(
                    sql: "UPDATE user SET password = ? WHERE id = ? AND password = ?", arguments: [new, user, old])
                guard db.changesCount > 0 else { return false }
                try Self.revokeTokens(of: user, keeping: token, db)
                try Audit.write(db, actor: email, action: "user.password", subject: email)
                return true
            }
        }
    }

    private static func revokeTokens(of user: User.ID, keeping token: TokenRecord.ID? = nil, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE token SET revoked_at = ?, sealed = NULL WHERE user_id = ? AND revoked_at IS NULL AND id IS NOT ?
                """, arguments: [currentSeconds(), user, token])
    }

    package func replacePasswordHash(_ old: String, with new: String, of user: User.ID) async throws -> Bool {
        try await blocking { [self] in
            try write("hash a password again", .reserve) { db in
                try db.execute(
                    sql: "UPDATE user SET password = ? WHERE id = ? AND password = ?", arguments: [new, user, old])
                return db.changesCount > 0
            }
        }
    }

    package func accountVersion() async throws -> Int64 {
        let (known, writes) = accountVersionCache.withLock { cache in
            let isFresh = cache.checkedAt.map { ContinuousClock.now - $0 < AccountVersionCache.maxAge } ?? false
            return (isFresh ? cache.version : nil, cache.writes)
        }
        if let known { return known }
        return try await blocking { [self] in
            let now = ContinuousClock.now
            let version = try read("read the version of the accounts") { db in
                try Int64.fetchOne(db, sql: "SELECT value FROM counter WHERE name = 'account'") ?? 0
            }
            accountVersionCache.withLock { cache in
                guard cache.writes == writes else { return }
                (cache.version, cache.checkedAt) = (version, now)
            }
            return version
        }
    }

    package func serverKey() throws -> [UInt8] {
        do { return try ServerKey.load(layout, owner: owner) } catch {
            throw StoreError.wrap(error, "read the server's key")
        }
    }

    package func audit(actor: String, action: String, subject: String, detail: String) async throws {
        try await blocking { [self] in
            try write("write the audit trail", .reserve) { db in
                try Audit.write(db, actor: actor, action: action, subject: subject, detail: detail)
            }
        }
    }
}

extension Account {
    init(row: Row) { self.init(user: User(row: row), passwordHash: row["password"]) }
}
