internal import Foundation
package import FundCore

extension SQLAccountStore {
    /// Passkeys of one user: more than anyone has devices.
    private static let maxPasskeys: Int64 = 20

    package func passkeys(of user: User.ID) async throws -> [Passkey] {
        try await connection.reading("list passkeys") { db in
            try db.rows("SELECT * FROM passkey WHERE user_id = ? ORDER BY id", [user]).map(Passkey.init(row:))
        }
    }

    package func passkey(credential: [UInt8]) async throws -> (passkey: Passkey, user: User)? {
        try await connection.reading("find a passkey") { db in
            guard
                let passkey = try db.row("SELECT * FROM passkey WHERE credential = ?", [Data(credential)])
                    .map(Passkey.init(row:)),
                let user = try db.row("SELECT * FROM \"user\" WHERE id = ?", [passkey.user])
            else { return nil }
            return (passkey, User(row: user))
        }
    }

    package func addPasskey(
        _ passkey: NewPasskey, codes: [ContentDigest], in session: FactorSession
    ) async throws -> Bool {
        let operation = "add a passkey"
        return try await connection.writing(operation, .reserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            let rows = FactorRows(db: db, user: session.user)
            if try db.exists("SELECT 1 FROM passkey WHERE credential = ?", [Data(passkey.key.credential)]) {
                throw StoreError(.alreadyExists, operation, "this passkey is known")
            }
            let count: Int64 = try db.value("SELECT count(*) FROM passkey WHERE user_id = ?", [session.user]) ?? 0
            guard count < Self.maxPasskeys else {
                throw StoreError(.invalid, operation, "there are \(Self.maxPasskeys) passkeys: remove one first")
            }
            try rows.endSessions(but: session.token, at: session.now)
            let _: Passkey.ID = try db.insert(
                """
                INSERT INTO passkey (user_id, credential, algorithm, public_key, counter, name, created_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                [
                    session.user, Data(passkey.key.credential), passkey.key.algorithm, Data(passkey.key.publicKey),
                    passkey.counter, passkey.name.label, session.now,
                ])
            try db.writeAudit(.factorAdd, of: email, "passkey: \(passkey.name.label)", by: email)
            return try rows.addCodes(codes)
        }
    }

    package func renamePasskey(
        _ passkey: Passkey.ID, to name: String, in session: FactorSession
    ) async throws -> Bool {
        let operation = "rename a passkey"
        return try await connection.writing(operation, .reserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            guard let old = try Self.name(of: passkey, session.user, db) else { return false }
            try db.execute("UPDATE passkey SET name = ? WHERE id = ?", [name.label, passkey])
            if old != name.label { try db.writeAudit(.factorRename, of: email, "\(old): \(name.label)", by: email) }
            return true
        }
    }

    package func removePasskey(
        _ passkey: Passkey.ID, in session: FactorSession, rule: SecondFactorRule
    ) async throws -> Bool {
        let operation = "remove a passkey"
        return try await connection.writing(operation, .lastReserve) { db in
            let email = try FactorRows.email(in: session, db, operation)
            guard let name = try Self.name(of: passkey, session.user, db) else { return false }
            try db.execute("DELETE FROM passkey WHERE id = ?", [passkey])
            try FactorRows(db: db, user: session.user).settle(rule, operation)
            try db.writeAudit(.factorRemove, of: email, "passkey: \(name)", by: email)
            return true
        }
    }

    private static func name(of passkey: Passkey.ID, _ user: User.ID, _ db: Database) throws -> String? {
        try db.value("SELECT name FROM passkey WHERE id = ? AND user_id = ?", [passkey, user])
    }

    package func usePasskey(_ passkey: Passkey.ID, counter: Int64, at now: Timestamp) async throws -> Bool {
        let operation = "note the use of a passkey"
        return try await connection.writing(operation, .reserve) { db in
            let row = try db.row(
                """
                SELECT passkey.name, passkey.counter, "user".email FROM passkey
                    JOIN "user" ON "user".id = passkey.user_id WHERE passkey.id = ?
                """, [passkey])
            guard let row else { return false }
            let (name, last, email): (String, Int64, String) = (row["name"], row["counter"], row["email"])
            guard counter > last || counter == 0 && last == 0 else {
                try db.writeAudit(
                    .factorRefuse, of: email, "passkey: \(name): counter \(counter) after \(last)", by: email)
                return false
            }
            try db.execute(
                "UPDATE passkey SET counter = ?, last_used_at = ? WHERE id = ?", [counter, now, passkey])
            return true
        }
    }
}

extension Passkey {
    init(row: Row) {
        let (credential, publicKey): (Data, Data) = (row["credential"], row["public_key"])
        self.init(
            id: row["id"], user: row["user_id"],
            key: PasskeyKey(
                credential: Array(credential), algorithm: row["algorithm"], publicKey: Array(publicKey)),
            counter: row["counter"], name: row["name"], createdAt: row["created_at"])
        lastUsedAt = row["last_used_at"]
    }
}
