internal import GRDB
import FundCore

/// Writes users and addresses within one transaction.
struct UserRows {
    let db: Database
    let actor: String

    static func email(of user: User.ID, _ db: Database, _ operation: String) throws -> String {
        guard let email = try String.fetchOne(db, sql: "SELECT email FROM \"user\" WHERE id = ?", arguments: [user])
        else {
            throw StoreError(.notFound, operation, "there is no user \(user)")
        }
        return email
    }

    func insert(_ row: UserImportRow) throws -> User {
        let email = try parse(row.email).description
        let (name, isAdministrator, isDisabled) = (
            row.name?.label, row.isAdministrator ?? false, row.isDisabled ?? false
        )
        if try owner(of: email) != nil {
            throw StoreError(.alreadyExists, "add the user \(email)", "this address is registered")
        }
        try db.execute(
            sql: "INSERT INTO \"user\" (email, name, is_administrator, is_disabled, created_at) VALUES (?, ?, ?, ?, ?)",
            arguments: [email, name, isAdministrator, isDisabled, Timestamp.now])
        let id = db.lastInsertedID(User.self)
        try Audit.write(
            db, actor: actor, action: "user.add", subject: email, detail: isAdministrator ? "administrator" : "")
        for address in [email] + row.addresses { try add(address, to: id, isSilent: true) }
        return User(id: id, email: email, name: name, isDisabled: isDisabled, isAdministrator: isAdministrator)
    }

    @discardableResult
    func add(_ address: String, to user: User.ID, isSilent: Bool = false) throws -> Bool {
        let address = try parse(address).description
        let operation = "add the address \(address)"
        let email = try Self.email(of: user, db, operation)
        if let owner = try owner(of: address) {
            guard owner != user else { return false }
            let other = try Self.email(of: owner, db, operation)
            throw StoreError(.alreadyExists, operation, "\(address) belongs to \(other)")
        }
        try db.execute(sql: "INSERT INTO address (user_id, address) VALUES (?, ?)", arguments: [user, address])
        if !isSilent { try Audit.write(db, actor: actor, action: "user.address", subject: email, detail: address) }
        return true
    }

    /// Throws `notFound` for a disabled user.
    static func checkEnabled(_ user: User.ID, _ db: Database, _ operation: String) throws {
        let isDisabled = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT is_disabled FROM \"user\" WHERE id = ?"), arguments: [user])
        guard isDisabled == false else { throw StoreError(.notFound, operation, "the user is disabled") }
    }

    /// False when it was so already. Throws `conflict` when `actor` is a user who is disabled.
    func setDisabled(_ isDisabled: Bool, _ user: User.ID) throws -> Bool {
        let operation = isDisabled ? "disable a user" : "enable a user"
        let email = try Self.email(of: user, db, operation)
        let isActorOut = try Bool.fetchOne(
            db, sql: "SELECT is_disabled FROM \"user\" WHERE email = ?", arguments: [actor])
        if isActorOut == true { throw StoreError(.conflict, operation, "\(actor) is disabled") }
        try db.execute(
            sql: "UPDATE \"user\" SET is_disabled = ?1 WHERE id = ?2 AND is_disabled <> ?1",
            arguments: [isDisabled, user])
        guard db.changesCount > 0 else { return false }
        try Audit.write(db, actor: actor, action: isDisabled ? "user.disable" : "user.enable", subject: email)
        return true
    }

    func importRow(_ row: UserImportRow) throws -> UserImportResult {
        let email = try parse(row.email).description
        guard let id = try owner(of: email) else {
            let user = try insert(row)
            for fund in row.funds { try FundRows(db: db, actor: actor).insert(fund, owner: user.id, aliases: []) }
            return .added
        }
        try db.execute(
            sql: """
                UPDATE "user" SET name = coalesce(?1, name), is_administrator = coalesce(?2, is_administrator),
                    is_disabled = coalesce(?3, is_disabled)
                WHERE id = ?4 AND (name IS NOT coalesce(?1, name)
                    OR is_administrator <> coalesce(?2, is_administrator) OR is_disabled <> coalesce(?3, is_disabled))
                """, arguments: [row.name?.label, row.isAdministrator, row.isDisabled, id])
        var isChanged = db.changesCount > 0
        if isChanged { try Audit.write(db, actor: actor, action: "user.update", subject: email, detail: "import") }
        for address in row.addresses where try add(address, to: id) { isChanged = true }
        for fund in row.funds where try FundRows(db: db, actor: actor).insertIfMissing(fund, owner: id) {
            isChanged = true
        }
        return isChanged ? .updated : .unchanged
    }

    private func owner(of address: String) throws -> User.ID? {
        try User.ID.fetchOne(db, sql: "SELECT user_id FROM address WHERE address = ?", arguments: [address])
    }

    private func parse(_ address: String) throws -> EmailAddress {
        guard let parsed = EmailAddress(address) else {
            throw StoreError(.invalid, "register \(address)", "`\(address)` is no mail address")
        }
        return parsed
    }
}

extension User {
    init(row: Row) {
        self.init(
            id: row["id"], email: row["email"], name: row["name"], isDisabled: row["is_disabled"],
            isAdministrator: row["is_administrator"])
    }
}
