internal import Foundation
package import FundCore

extension SQLAccountStore {
    /// Time for which an expired token is told from one that never was.
    private static let expiredTokenMemory = Duration.seconds(7 * 86_400)
    /// Tokens of a user and kind that end by themselves; more push out those that end first.
    private static let maxExpiringTokens = 200
    /// Nonces of a user that are kept whatever the clock says: one that runs ahead for an hour must not make them
    /// usable again when it is set right.
    private static let keptNonces = 10_000

    package func addToken(_ token: NewToken) async throws -> TokenRecord {
        try await connection.writing("add a token", .reserve) { db in
            try UserRows.checkEnabled(token.user, db, "add a token")
            try Self.checkGrant(of: token, db)
            try db.execute(
                "DELETE FROM token WHERE user_id = ? AND expires_at < ?",
                [token.user, token.createdAt - Self.expiredTokenMemory])
            try db.execute(
                """
                DELETE FROM token WHERE user_id = ?1 AND kind = ?2 AND expires_at IS NOT NULL AND id NOT IN (
                    SELECT id FROM token WHERE user_id = ?1 AND kind = ?2 AND expires_at IS NOT NULL
                    ORDER BY expires_at DESC, id DESC LIMIT ?3)
                """, [token.user, token.kind.rawValue, Self.maxExpiringTokens - 1])
            let id: TokenRecord.ID = try db.insert(
                """
                INSERT INTO token (user_id, kind, label, reach, digest, sealed, created_at, expires_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    token.user, token.kind.rawValue, token.label.label, token.reach.rawValue,
                    token.digest, token.sealed.map { Data($0) }, token.createdAt, token.expiresAt,
                ])
            var record = TokenRecord(
                id: id, user: token.user, kind: token.kind, label: token.label.label, reach: token.reach,
                createdAt: token.createdAt)
            record.expiresAt = token.expiresAt
            return record
        }
    }

    /// A change of the password ends all other tokens, also one that was requested before it and is granted after it.
    private static func checkGrant(of token: NewToken, _ db: Database) throws {
        guard let grant = token.grantedBy else { return }
        let row = try db.row(
            """
            SELECT token.* FROM token JOIN "user" ON "user".id = token.user_id
            WHERE token.id = ? AND "user".id = ? AND "user".is_disabled = 0
            """, [grant, token.user])
        guard let row, TokenRecord(row: row)?.isLive(at: token.createdAt) == true else {
            throw StoreError(.conflict, "add a token", "the token that it is granted by has ended")
        }
    }

    package func token(
        _ digest: ContentDigest
    ) async throws -> (record: TokenRecord, user: User, hasSecondFactor: Bool)? {
        try await connection.reading("find a token") { db in
            guard
                let record = try db.row("SELECT * FROM token WHERE digest = ?", [digest]).flatMap(
                    TokenRecord.init(row:)),
                let user = try db.row("SELECT * FROM \"user\" WHERE id = ?", [record.user])
            else { return nil }
            return (record, User(row: user), try FactorRows(db: db, user: record.user).isSetUp())
        }
    }

    package func sealedTokens(of user: User.ID, limit: Int) async throws -> [SealedToken] {
        try await connection.reading("find tokens") { db in
            let rows = try db.rows(
                """
                SELECT * FROM token
                WHERE user_id = ? AND kind = 'mobile' AND sealed IS NOT NULL
                ORDER BY expires_at DESC, id DESC LIMIT ?
                """, [user, limit])
            return try rows.compactMap { row in
                guard let record = TokenRecord(row: row), let sealed = row["sealed"] as Data? else { return nil }
                return SealedToken(record: record, digest: try row.digest("digest"), sealed: Array(sealed))
            }
        }
    }

    package func tokens(of user: User.ID?) async throws -> [TokenRecord] {
        try await connection.reading("list tokens") { db in
            let sql = "SELECT * FROM token WHERE ?1 IS NULL OR user_id = ?1 ORDER BY id DESC"
            return try db.rows(sql, [user]).compactMap(TokenRecord.init(row:))
        }
    }

    package func tokens(of user: User.ID, _ page: PageQuery) async throws -> ListPage<TokenRecord> {
        try await connection.reading("list tokens") { db in
            try page.list { cursor, count in
                try db.rows(
                    """
                    SELECT * FROM token WHERE user_id = ?1 AND revoked_at IS NULL AND id < ?2
                        AND kind \(SQL.isAmong("?3")) ORDER BY id DESC LIMIT ?4
                    """,
                    [
                        user, cursor?.numbers[0] ?? Int64.max, SQL.list(words: TokenKind.allCases.map(\.rawValue)),
                        count,
                    ]
                ).compactMap(TokenRecord.init(row:))
            }
        }
    }

    package func noteUse(of token: TokenRecord.ID, at time: Timestamp, expiresAt: Timestamp?) async throws {
        try await connection.writing("note the use of a token", .reserve) { db in
            try db.execute(
                "UPDATE token SET last_used_at = ?, expires_at = ? WHERE id = ?", [time, expiresAt, token])
        }
    }

    @discardableResult
    package func revokeToken(_ token: TokenRecord.ID, of user: User.ID, actor: String) async throws -> Bool {
        let operation = "revoke a token"
        return try await connection.writing(operation, .lastReserve) { db in
            let row = try db.row(
                "SELECT * FROM token WHERE id = ? AND user_id = ? AND revoked_at IS NULL", [token, user])
            guard let record = row.flatMap(TokenRecord.init(row:)) else { return false }
            try db.execute("UPDATE token SET revoked_at = ?, sealed = NULL WHERE id = ?", [Timestamp.now, token])
            try db.writeAudit(
                .tokenRevoke, of: try UserRows.email(of: user, db, operation),
                "\(record.kind.rawValue) \(token): \(record.label)", by: actor)
            return true
        }
    }

    @discardableResult
    package func revokeTokens(
        _ kinds: Set<TokenKind>, of user: User.ID, keeping token: TokenRecord.ID?, actor: String
    ) async throws -> Int {
        let operation = "revoke tokens"
        return try await connection.writing(operation, .lastReserve) { db in
            let email = try UserRows.email(of: user, db, operation)
            if email != actor { try UserRows(db: db, actor: actor).checkActor(operation) }
            var count = 0
            for kind in kinds.map(\.rawValue).sorted() {
                let revoked = try db.execute(
                    """
                    UPDATE token SET revoked_at = ?, sealed = NULL
                    WHERE user_id = ? AND kind = ? AND revoked_at IS NULL AND id IS DISTINCT FROM ?
                    """, [Timestamp.now, user, kind, token])
                guard revoked > 0 else { continue }
                count += revoked
                try db.writeAudit(
                    .tokenRevoke, of: email, "\(kind): \(token == nil ? "all" : "all but the current session")",
                    by: actor)
            }
            return count
        }
    }

    package func spendNonce(
        _ nonce: String, of user: User.ID, signed: Timestamp, at now: Timestamp, until time: Timestamp
    ) async throws -> Bool {
        try await connection.writing("remember a call", .reserve) { db in
            guard try !LostNonces.concern(signedAt: signed, db) else { return false }
            let isNew = try db.execute(
                "INSERT INTO nonce (user_id, nonce, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
                [user, nonce, time])
            guard isNew > 0 else { return false }
            try db.execute(
                "DELETE FROM nonce WHERE user_id = ? AND until < ? AND id <= (SELECT max(id) FROM nonce) - ?",
                [user, now, Self.keptNonces])
            return true
        }
    }
}

extension TokenRecord: ListedItem {
    var cursor: ListCursor { ListCursor(id.rawValue) }

    /// Nil for a kind or a reach that a later version made.
    init?(row: Row) {
        guard let kind = TokenKind(rawValue: row["kind"]), let reach = TokenReach(rawValue: row["reach"]) else {
            return nil
        }
        self.init(
            id: row["id"], user: row["user_id"], kind: kind, label: row["label"], reach: reach,
            createdAt: row["created_at"])
        expiresAt = row["expires_at"]
        lastUsedAt = row["last_used_at"]
        revokedAt = row["revoked_at"]
    }
}
