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
            guard let address = EmailAddress(email) else { throw StoreError(.notFound, operation, "it is no address") }
            let user = try Self.userRecord(db, address, operation).user
            try rows.setPassword(passwordHash, of: user.id)
            return user
        }
    }
}
