package import FundCore

/// Passwords, tokens and logins.
package final class SQLAccountStore: AccountStore {
    let connection: StoreConnection
    private let version: RowCache<Int64>

    init(connection: StoreConnection) {
        self.connection = connection
        version = RowCache(connection)
    }

    package func account(named address: String) async throws -> Account? {
        guard let wanted = EmailAddress(address) else { return nil }
        return try await connection.reading("find a user") { db in
            let sql = "SELECT * FROM \"user\" WHERE id = (SELECT user_id FROM address WHERE address = ?)"
            return try Self.account(db.row(sql, [wanted.description]), db)
        }
    }

    package func account(_ user: User.ID) async throws -> Account? {
        try await connection.reading("find a user") { db in
            try Self.account(db.row("SELECT * FROM \"user\" WHERE id = ?", [user]), db)
        }
    }

    private static func account(_ row: Row?, _ db: Database) throws -> Account? {
        guard let row else { return nil }
        let user = User(row: row)
        let hash: String? = row["password"]
        return Account(user: user, passwordHash: hash, factors: try FactorRows(db: db, user: user.id).factors())
    }

    package func setReceipts(_ setting: ReceiptSetting, of user: User.ID, actor: String) async throws {
        try await connection.writing("choose receipts", .reserve) { db in
            _ = try UserRows(db: db, actor: actor).setReceipts(setting.choice, of: user)
        }
    }

    package func setDigests(_ change: DigestChange, of user: User.ID, actor: String) async throws {
        try await connection.writing("choose digests", .reserve) { db in
            _ = try UserRows(db: db, actor: actor).setDigests(change, of: user)
        }
    }

    package func setPasswordHash(_ hash: String?, of user: User.ID, actor: String) async throws {
        try await connection.writing("set a password", .reserve) { db in
            try UserRows(db: db, actor: actor).setPassword(hash, of: user, detail: hash == nil ? "none" : "")
        }
    }

    package func changePasswordHash(
        _ old: String, to new: String, of user: User.ID, keeping token: TokenRecord.ID
    ) async throws -> Bool {
        let operation = "change a password"
        return try await connection.writing(operation, .reserve) { db in
            let email = try UserRows.email(of: user, db, operation)
            guard try Self.replace(old, with: new, of: user, db) else { return false }
            try UserRows.forgetTokens(of: user, keeping: token, db)
            try db.writeAudit(.userPassword, of: email, by: email)
            return true
        }
    }

    package func replacePasswordHash(_ old: String, with new: String, of user: User.ID) async throws -> Bool {
        try await connection.writing("hash a password again", .reserve) {
            try Self.replace(old, with: new, of: user, $0)
        }
    }

    private static func replace(_ old: String, with new: String, of user: User.ID, _ db: Database) throws -> Bool {
        try db.execute("UPDATE \"user\" SET password = ? WHERE id = ? AND password = ?", [new, user, old]) > 0
    }

    package func accountVersion() async throws -> Int64 {
        if let known = version.known(\.self) { return known }
        return try await connection.queues.shared.run { [self] in
            try version.value { _ in
                try connection.read("read the version of the accounts") { try Counter.value("account", $0) ?? 0 }
            }
        }
    }

    package func serverKey() throws -> [UInt8] {
        try StoreError.wrapping("read the server's key") {
            try ServerKey.load(connection.location, owner: connection.owner)
        }
    }

    package func audit(actor: String, action: AuditAction, subject: String, detail: String) async throws {
        try await connection.writing("write the audit trail", .reserve) { db in
            try db.writeAudit(action, of: subject, detail, by: actor)
        }
    }
}
