import FundCore

/// Reads and writes the second factors of one user within one transaction.
struct FactorRows {
    let db: Database
    let user: User.ID

    func factors() throws -> SecondFactors {
        var factors = SecondFactors()
        factors.passkeyCount = try db.value("SELECT count(*) FROM passkey WHERE user_id = ?", [user]) ?? 0
        factors.hasCodeApp = try db.exists("SELECT 1 FROM code_app WHERE user_id = ?", [user])
        factors.hasRecoveryCodes = try db.exists("SELECT 1 FROM recovery_code WHERE user_id = ?", [user])
        factors.recoveryCodesLeft = try codesLeft()
        return factors
    }

    func codesLeft() throws -> Int {
        try db.value("SELECT count(*) FROM recovery_code WHERE user_id = ? AND used_at IS NULL", [user]) ?? 0
    }

    /// Whether the user has a passkey or an authenticator app.
    func isSetUp() throws -> Bool {
        try db.exists(
            """
            SELECT 1 FROM passkey WHERE user_id = ?1 UNION ALL SELECT 1 FROM code_app WHERE user_id = ?1 LIMIT 1
            """, [user])
    }

    /// The address of the user of a session. Throws `conflict` when the session has ended.
    static func email(in session: FactorSession, _ db: Database, _ operation: String) throws -> String {
        let row = try db.row(
            """
            SELECT token.*, "user".email FROM token JOIN "user" ON "user".id = token.user_id
            WHERE token.id = ? AND "user".id = ? AND "user".is_disabled = 0
            """, [session.token, session.user])
        guard let row, TokenRecord(row: row)?.isLive(at: session.now) == true else {
            throw StoreError(.conflict, operation, "the session has ended")
        }
        return row["email"]
    }

    /// Ends the sessions but one that a password alone had opened, before the first factor is added.
    func endSessions(but token: TokenRecord.ID, at now: Timestamp) throws {
        guard try !isSetUp() else { return }
        try db.execute(
            """
            UPDATE token SET revoked_at = ?, sealed = NULL
            WHERE user_id = ? AND kind <> 'app' AND revoked_at IS NULL AND id <> ?
            """, [now, user, token])
    }

    /// Keeps recovery codes unless there are some. Returns whether they were kept.
    func addCodes(_ digests: [ContentDigest]) throws -> Bool {
        guard try !db.exists("SELECT 1 FROM recovery_code WHERE user_id = ?", [user]) else { return false }
        for digest in digests {
            try db.execute("INSERT INTO recovery_code (user_id, digest) VALUES (?, ?)", [user, digest])
        }
        return true
    }

    /// Removes the recovery codes of a user who has no other factor left. Throws `invalid` when a rule wants one.
    func settle(_ rule: SecondFactorRule, _ operation: String) throws {
        guard try !isSetUp() else { return }
        let row = try db.row("SELECT * FROM \"user\" WHERE id = ?", [user])
        guard row.map({ rule.concerns(User(row: $0)) }) == false else {
            throw StoreError(.invalid, operation, "this is the last second factor, and this server asks for one")
        }
        try db.execute("DELETE FROM recovery_code WHERE user_id = ?", [user])
    }

    /// Removes everything. Returns whether there was something.
    func removeAll() throws -> Bool {
        try ["passkey", "code_app", "recovery_code"].reduce(false) { wasThere, table in
            try db.execute("DELETE FROM \(table) WHERE user_id = ?", [user]) > 0 || wasThere
        }
    }
}
