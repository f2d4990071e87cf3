internal import Foundation
package import FundCore

/// Authenticator apps, recovery codes, and second factors as a whole.
extension SQLAccountStore {
    package func secondFactors(of user: User.ID) async throws -> SecondFactors {
        try await connection.reading("look at second factors") { try FactorRows(db: $0, user: user).factors() }
    }

    package func usersLackingSecondFactor(by rule: SecondFactorRule) async throws -> [String] {
        try await connection.reading("look for second factors") { db in
            try db.rows("SELECT * FROM \"user\" WHERE is_disabled = 0 ORDER BY email", []).map(User.init(row:))
                .filter { try rule.concerns($0) && !FactorRows(db: db, user: $0.id).isSetUp() }.map(\.email)
        }
    }

    package func codeApp(of user: User.ID) async throws -> CodeApp? {
        try await connection.reading("look for an authenticator app") { db in
            try db.row("SELECT * FROM code_app WHERE user_id = ?", [user]).map { row in
                let sealed: Data = row["sealed"]
                return CodeApp(sealed: Array(sealed), lastStep: row["last_step"], createdAt: row["created_at"])
            }
        }
    }

    package func setCodeApp(
        _ app: CodeApp, codes: [ContentDigest], in session: FactorSession
    ) async throws -> Bool {
        let operation = "set up an authenticator app"
        return try await connection.writing(operation, .reserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            let rows = FactorRows(db: db, user: session.user)
            try rows.endSessions(but: session.token, at: session.now)
            // One app may be set up twice: no code of it that was taken is good once more.
            let spent: Int64? = try db.value("SELECT last_step FROM code_app WHERE user_id = ?", [session.user])
            try db.execute("DELETE FROM code_app WHERE user_id = ?", [session.user])
            try db.execute(
                "INSERT INTO code_app (user_id, sealed, last_step, created_at) VALUES (?, ?, ?, ?)",
                [session.user, Data(app.sealed), max(app.lastStep, spent ?? 0), app.createdAt])
            try db.writeAudit(.factorAdd, of: email, "app", by: email)
            return try rows.addCodes(codes)
        }
    }

    package func removeCodeApp(in session: FactorSession, rule: SecondFactorRule) async throws -> Bool {
        let operation = "remove an authenticator app"
        return try await connection.writing(operation, .lastReserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            guard try db.execute("DELETE FROM code_app WHERE user_id = ?", [session.user]) > 0 else { return false }
            try FactorRows(db: db, user: session.user).settle(rule, operation)
            try db.writeAudit(.factorRemove, of: email, "app", by: email)
            return true
        }
    }

    package func spendStep(_ step: Int64, of user: User.ID) async throws -> Bool {
        try await connection.writing("take a code", .reserve) { db in
            try db.execute(
                """
                UPDATE code_app SET last_step = ?1
                WHERE user_id = ?2 AND (last_step < ?1 OR last_step > ?1 + ?3)
                """, [step, user, Self.mostStepsBack]) > 0
        }
    }

    /// Steps between the latest and the earliest code that are right at a time (`TimeCode`). A step that was taken
    /// further ahead was taken by a clock that was wrong, and would lock the app until that day.
    private static let mostStepsBack: Int64 = 2

    package func setRecoveryCodes(_ digests: [ContentDigest], in session: FactorSession) async throws {
        let operation = "make recovery codes"
        try await connection.writing(operation, .reserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            let rows = FactorRows(db: db, user: session.user)
            guard try rows.isSetUp() else { throw StoreError(.conflict, operation, "there is no second factor") }
            try db.execute("DELETE FROM recovery_code WHERE user_id = ?", [session.user])
            _ = try rows.addCodes(digests)
            try db.writeAudit(.factorCodes, of: email, by: email)
        }
    }

    package func spendRecoveryCode(
        _ digest: ContentDigest, of user: User.ID, at now: Timestamp
    ) async throws -> Bool {
        let operation = "take a recovery code"
        return try await connection.writing(operation, .reserve) { db in
            let used = try db.execute(
                "UPDATE recovery_code SET used_at = ? WHERE user_id = ? AND digest = ? AND used_at IS NULL",
                [now, user, digest])
            guard used > 0 else { return false }
            let email = try UserRows.email(of: user, db, operation)
            let left = try FactorRows(db: db, user: user).codesLeft()
            try db.writeAudit(.factorRecovery, of: email, "\(left) left", by: email)
            return true
        }
    }

    package func removeSecondFactors(of user: User.ID, at now: Timestamp, actor: String) async throws -> Bool {
        let operation = "remove second factors"
        return try await connection.administering(operation, .lastReserve, by: actor) { db in
            let email = try UserRows.email(of: user, db, operation)
            guard email != actor else {
                throw StoreError(.conflict, operation, "another administrator has to do this: it is about yourself")
            }
            guard try FactorRows(db: db, user: user).removeAll() else { return false }
            try db.execute(
                """
                UPDATE token SET revoked_at = ?, sealed = NULL
                WHERE user_id = ? AND kind <> 'app' AND revoked_at IS NULL
                """, [now, user])
            try db.execute(
                """
                INSERT INTO factor_notice (user_id, at) VALUES (?, ?)
                ON CONFLICT (user_id) DO UPDATE SET at = excluded.at
                """, [user, now])
            try db.writeAudit(.factorReset, of: email, by: actor)
            return true
        }
    }

    package func takeRemovalNotice(of user: User.ID) async throws -> Bool {
        let isThere = try await connection.reading("look for a notice") {
            try $0.exists("SELECT 1 FROM factor_notice WHERE user_id = ?", [user])
        }
        guard isThere else { return false }
        return try await connection.writing("give a notice", .reserve) {
            try $0.execute("DELETE FROM factor_notice WHERE user_id = ?", [user]) > 0
        }
    }
}
