import FundCore

/// The room that people have left within one write transaction, in which no other takes any. What is taken counts at
/// once, before rows of it are written.
final class StorageRoom {
    private let db: Database
    let limits: StorageLimits
    /// Bytes that are left, for people who were asked about; nil for those without a limit.
    private var left: [User.ID: Int64?] = [:]
    private var leftOfStore: Int64??

    init(db: Database, limits: StorageLimits) { (self.db, self.limits) = (db, limits) }

    /// Takes room of a person. False, and nothing taken, where that would go beyond their limit or that of the store.
    func take(_ bytes: Int64, of user: User.ID) throws -> Bool {
        guard bytes > 0 else { return true }
        guard try has(bytes, of: user) else { return false }
        left[user] = .some(try left(of: user).map { $0 - bytes })
        leftOfStore = .some(try leftForAll().map { $0 - bytes })
        return true
    }

    /// Whether a person has room beside bytes that count as taken. Takes none.
    /// - Parameters:
    ///   - others: bytes of the person.
    ///   - all: bytes of all people together.
    func has(_ bytes: Int64, of user: User.ID, beside others: Int64 = 0, of all: Int64 = 0) throws -> Bool {
        guard bytes > 0 else { return true }
        let (own, common) = (try left(of: user) ?? .max, try leftForAll() ?? .max)
        return own - others >= bytes && common - all >= bytes
    }

    /// Takes room of a person. Throws `overQuota` where they have less.
    func take(_ bytes: Int64, of user: User.ID, _ operation: String) throws {
        guard try !take(bytes, of: user) else { return }
        throw StoreError(.overQuota, operation, try lack(of: bytes, for: user, operation))
    }

    /// Takes room of the owner of a fund.
    func take(_ bytes: Int64, in fund: Fund.ID, _ operation: String) throws {
        guard bytes > 0 else { return }
        let row = try db.row(
            """
            SELECT user_quota.bytes, fund.owner_id, user_quota.user_id FROM fund
                LEFT JOIN user_quota ON user_quota.user_id = fund.owner_id WHERE fund.id = ?
            """, [fund])
        guard let row else { return }
        let (owner, isOwn): (User.ID, Bool) = (row[1], (row[2] as User.ID?) != nil)
        if left[owner] == nil { left[owner] = .some(try left(of: owner, isOwn ? StorageQuota(row: row) : .standard)) }
        try take(bytes, of: owner, operation)
    }

    /// Takes room of a person for what another has now: the limit of the whole store does not matter.
    func takeOver(_ bytes: Int64, by user: User.ID, _ operation: String) throws {
        guard bytes > 0, let own = try left(of: user) else { return }
        guard own >= bytes else { throw StoreError(.overQuota, operation, try lack(of: bytes, for: user, operation)) }
        left[user] = .some(own - bytes)
    }

    private func lack(of bytes: Int64, for user: User.ID, _ operation: String) throws -> String {
        let email = try UserRows.email(of: user, db, operation)
        let isOwn = try left(of: user).map { $0 < bytes } ?? false
        let room = max(0, try (isOwn ? left(of: user) : leftForAll()) ?? 0)
        return isOwn
            ? "\(email) has room for \(room) bytes, and it takes \(bytes)"
            : "the store has room for \(room) bytes, and it takes \(bytes)"
    }

    private func left(of user: User.ID) throws -> Int64? {
        if let known = left[user] { return known }
        let found = try left(of: user, Self.quota(of: user, db))
        left[user] = .some(found)
        return found
    }

    private func left(of user: User.ID, _ quota: StorageQuota) throws -> Int64? {
        try quota.limit(limits).map { try $0 - FundUse.bytes(of: user, db) }
    }

    private func leftForAll() throws -> Int64? {
        if let known = leftOfStore { return known }
        let found = try limits.store.map { try $0 - FundUse.bytesOfAll(db) }
        leftOfStore = .some(found)
        return found
    }

    // MARK: Rows

    static func quota(of user: User.ID, _ db: Database) throws -> StorageQuota {
        guard let row = try db.row("SELECT bytes FROM user_quota WHERE user_id = ?", [user]) else { return .standard }
        return StorageQuota(row: row)
    }

    /// The room of a person, but for what the disk has.
    static func use(by user: User.ID, _ limits: StorageLimits, _ db: Database) throws -> StorageUse {
        let used = try FundUse.bytes(of: user, db)
        let limit = try quota(of: user, db).limit(limits)
        let rooms = [limit.map { $0 - used }, try limits.store.map { try $0 - FundUse.bytesOfAll(db) }]
        let left = rooms.compactMap(\.self).min().map { max(0, $0) }
        return StorageUse(used: used, limit: limit, left: left, available: left ?? .max)
    }
}

extension StorageQuota {
    /// - Parameter row: one of `user_quota`, whose first column is `bytes`.
    init(row: Row) { self = (row[0] as Int64?).map(StorageQuota.bytes) ?? .unlimited }
}
