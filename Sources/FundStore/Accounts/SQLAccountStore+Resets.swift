package import FundCore

extension SQLAccountStore {
    package func addPasswordReset(
        _ digest: ContentDigest, of user: User.ID, until expiry: Timestamp, actor: String
    ) async throws {
        let operation = "make a link for a password"
        try await connection.administering(operation, .reserve, by: actor) { db in
            let email = try UserRows.email(of: user, db, operation)
            if try UserRows.isDisabled(user, db) { throw StoreError(.conflict, operation, "\(email) is disabled") }
            try db.execute(
                """
                INSERT INTO password_reset (user_id, digest, expires_at) VALUES (?, ?, ?)
                ON CONFLICT (user_id) DO UPDATE SET digest = excluded.digest, expires_at = excluded.expires_at
                """, [user, digest, expiry])
            try db.writeAudit(.userReset, of: email, "until \(expiry)", by: actor)
        }
    }

    package func passwordReset(_ digest: ContentDigest, at now: Timestamp) async throws -> User? {
        try await connection.reading("find a link for a password") { try Self.user(resetBy: digest, at: now, $0) }
    }

    package func usePasswordReset(
        _ digest: ContentDigest, hash: String, at now: Timestamp
    ) async throws -> User? {
        try await connection.writing("set a password by a link", .reserve) { db in
            guard let user = try Self.user(resetBy: digest, at: now, db) else { return nil }
            try UserRows(db: db, actor: user.email).setPassword(hash, of: user.id, detail: "by a link")
            return user
        }
    }

    private static func user(resetBy digest: ContentDigest, at now: Timestamp, _ db: Database) throws -> User? {
        try db.row(
            """
            SELECT "user".* FROM password_reset JOIN "user" ON "user".id = password_reset.user_id
            WHERE password_reset.digest = ? AND password_reset.expires_at > ? AND "user".is_disabled = 0
            """, [digest, now]
        ).map(User.init(row:))
    }
}
