package import FundCore

extension SQLAdministrationStore {
    package func users() async throws -> [UserRecord] {
        try await connection.reading("list users") { try Self.userRecords($0) }
    }

    /// The user whom any of their addresses names. Throws `notFound`.
    package func user(_ address: String) async throws -> UserRecord {
        let operation = "find the user \(address)"
        guard let wanted = EmailAddress(address) else { throw StoreError(.notFound, operation, "it is no address") }
        return try await connection.reading(operation) { db in
            try Self.userRecord(db, wanted, operation)
        }
    }

    /// Throws `notFound` where no user has the address.
    static func userRecord(_ db: Database, _ address: EmailAddress, _ operation: String) throws -> UserRecord {
        let isTheirs = "id = (SELECT user_id FROM address WHERE address = ?1)"
        return try userRecords(db, where: isTheirs, [address.description]).one(operation, "no user has this address")
    }

    /// Throws `invalid` for what is no address, `alreadyExists` when one of them is registered.
    @discardableResult
    package func addUser(
        email: String, name: String?, isAdministrator: Bool, addresses: [String], actor: String
    ) async throws -> User {
        let row = UserImportRow(email: email, name: name, isAdministrator: isAdministrator, addresses: addresses)
        let operation = "add the user \(email)"
        return try await connection.administering(operation, by: actor) { db in
            try UserRows(db: db, actor: actor).insert(row)
        }
    }

    /// False when it was so already. Of two administrators who disable each other at the same moment one is refused.
    @discardableResult
    package func setDisabled(_ isDisabled: Bool, user: User.ID, actor: String) async throws -> Bool {
        let (operation, room): (String, WriteRoom) =
            isDisabled ? ("disable a user", .lastReserve) : ("enable a user", .reserve)
        return try await connection.administering(operation, room, by: actor) { db in
            try UserRows(db: db, actor: actor).setDisabled(isDisabled, user)
        }
    }

    package func user(_ id: User.ID) async throws -> UserRecord {
        try await connection.reading("find a user") { try Self.userRecord($0, id, "find a user") }
    }

    @discardableResult
    package func changeUser(
        _ id: User.ID, _ change: UserChange, if condition: (@Sendable (UserRecord) -> Bool)? = nil, actor: String
    ) async throws -> UserRecord {
        let operation = "change a user"
        return try await connection.administering(operation, .lastReserve, by: actor) { db in
            let user = try Self.userRecord(db, id, operation)
            guard condition?(user) ?? true else {
                throw StoreError(.preconditionFailed, operation, "it is not what it was")
            }
            let rows = UserRows(db: db, actor: actor)
            if let isDisabled = change.isDisabled { _ = try rows.setDisabled(isDisabled, id) }
            if let isAdministrator = change.isAdministrator { try rows.setAdministrator(isAdministrator, id) }
            if let name = change.name { try rows.rename(id, to: name) }
            if let address = change.addedAddress { _ = try rows.add(address, to: id) }
            if let address = change.removedAddress { _ = try rows.remove(address, from: id) }
            if let setting = change.receipts { try rows.setReceipts(setting.choice, of: id) }
            if let digests = change.digests { try rows.setDigests(digests, of: id) }
            if let address = change.answeredAddress { try rows.setAnswered(true, address, of: id) }
            if let address = change.unansweredAddress { try rows.setAnswered(false, address, of: id) }
            if let quota = change.quota { try rows.setQuota(quota, of: id) }
            return try Self.userRecord(db, id, operation)
        }
    }

    private static func userRecord(_ db: Database, _ id: User.ID, _ operation: String) throws -> UserRecord {
        try userRecords(db, id: id).one(operation, "there is no user \(id)")
    }

    @discardableResult
    package func addAddress(_ address: String, to user: User.ID, actor: String) async throws -> Bool {
        try await connection.administering("add the address \(address)", by: actor) { db in
            try UserRows(db: db, actor: actor).add(address, to: user)
        }
    }

    package func importUsers(
        _ rows: [UserImportRow], actor: String, keeping: UserImportKeeping = .validRows
    ) async throws -> [UserImportResult] {
        let operation = "import users"
        do {
            return try await connection.administering(operation, by: actor) { db in
                let writer = UserRows(db: db, actor: actor)
                let results: [UserImportResult] = try rows.map { row in
                    do {
                        return try db.savepoint { try writer.importRow(row) }
                    } catch let error as StoreError where [.invalid, .alreadyExists].contains(error.code) {
                        return .invalid(error.detail)
                    }
                }
                let hasInvalid = results.contains { if case .invalid = $0 { true } else { false } }
                if keeping == .nothing || (keeping == .allOrNothing && hasInvalid) {
                    throw ImportRollback(results: results)
                }
                return results
            }
        } catch let rollback as ImportRollback {
            return rollback.results
        }
    }

    /// Ends a transaction that must not stay, with what it found.
    private struct ImportRollback: Error { var results: [UserImportResult] }

    static func userRecords(_ db: Database, id: User.ID? = nil) throws -> [UserRecord] {
        try userRecords(db, where: "?1 IS NULL OR id = ?1", [id])
    }

    /// Users by their naming address.
    static func userRecords(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int = .max
    ) throws -> [UserRecord] {
        let rows = try db.rows(
            """
            SELECT (SELECT count(*) FROM fund WHERE owner_id = "user".id AND archived_at IS NULL
                AND deleted_at IS NULL) AS funds,
                (SELECT sum(bytes) FROM fund \(SQL.thenJoin) fund_use ON fund_id = fund.id
                    WHERE owner_id = "user".id) AS used, "user".*
            FROM "user" WHERE \(condition) ORDER BY email LIMIT ?\(arguments.count + 1)
            """, arguments + [limit])
        let addresses: [User.ID: [String]] = try db.grouped(
            "SELECT user_id, address FROM address WHERE user_id \(SQL.isAmong("?")) ORDER BY id",
            [SQL.list(rows.map { $0["id"] })])
        let answered: [User.ID: [String]] = try db.grouped(
            "SELECT user_id, address FROM address WHERE is_answered = 1 AND user_id \(SQL.isAmong("?")) ORDER BY id",
            [SQL.list(rows.map { $0["id"] })])
        var quotas: [User.ID: StorageQuota] = [:]
        try db.forEach(
            "SELECT bytes, user_id FROM user_quota WHERE user_id \(SQL.isAmong("?"))", [SQL.list(rows.map { $0["id"] })]
        ) { row in
            quotas[row[1]] = StorageQuota(row: row)
            return true
        }
        return rows.map { row in
            let user = User(row: row)
            let others = (addresses[user.id] ?? []).filter { $0 != user.email }
            var record = UserRecord(user: user, addresses: [user.email] + others, fundCount: row["funds"])
            record.answeredAddresses = answered[user.id] ?? []
            record.quota = quotas[user.id] ?? .standard
            record.usedBytes = row["used"] ?? 0
            return record
        }
    }
}
