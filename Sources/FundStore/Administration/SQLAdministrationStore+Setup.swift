package import FundCore

/// The beginning of a store.
extension SQLAdministrationStore {
    package func hasAdministrator() async throws -> Bool {
        try await connection.reading("look for an administrator") { try Self.hasAdministrator($0) }
    }

    private static func hasAdministrator(_ db: Database) throws -> Bool {
        try db.exists("SELECT 1 FROM \"user\" WHERE is_administrator = 1 AND is_disabled = 0")
    }

    package func addFirstAdministrator(
        email: String, name: String?, passwordHash: String, actor: String
    ) async throws -> User {
        let operation = "add the first administrator"
        return try await connection.writing(operation) { db in
            guard try !Self.hasAdministrator(db) else {
                throw StoreError(.conflict, operation, "there is an administrator already")
            }
            let row = UserImportRow(email: email, name: name, isAdministrator: true, isDisabled: false)
            let rows = UserRows(db: db, actor: actor)
            _ = try rows.importRow(row)
            let address = EmailAddress(email)?.description ?? email
            let id: User.ID? = try db.value("SELECT user_id FROM address WHERE address = ?", [address])
            guard let id, let record = try Self.userRecords(db, id: id).first else {
                throw StoreError(.notFound, operation, "no user has this address")
            }
            try rows.setPassword(passwordHash, of: id)
            return record.user
        }
    }
}
