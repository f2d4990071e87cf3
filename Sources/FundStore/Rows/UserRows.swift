import FundCore

/// Writes users and addresses within one transaction.
struct UserRows {
    /// Unicode scalars.
    private static let maxNameLength = 200

    let db: Database
    let actor: String

    static func email(of user: User.ID, _ db: Database, _ operation: String) throws -> String {
        guard let email: String = try db.value("SELECT email FROM \"user\" WHERE id = ?", [user]) else {
            throw StoreError(.notFound, operation, "there is no user \(user)")
        }
        return email
    }

    func insert(_ row: UserImportRow) throws -> User {
        let email = try parse(row.email).description
        let (name, isDisabled) = (try row.name.map(displayName), row.isDisabled ?? false)
        let isAdministrator = row.isAdministrator ?? false
        if try owner(of: email) != nil {
            throw StoreError(.alreadyExists, "add the user \(email)", "this address is registered")
        }
        let id: User.ID = try db.insert(
            "INSERT INTO \"user\" (email, name, is_administrator, is_disabled, created_at) VALUES (?, ?, ?, ?, ?)",
            [email, name, isAdministrator, isDisabled, Timestamp.now])
        try db.writeAudit(.userAdd, of: email, isAdministrator ? "administrator" : "", by: actor)
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
        try refuseRelay(address, operation)
        try db.execute("INSERT INTO address (user_id, address) VALUES (?, ?)", [user, address])
        if !isSilent { try db.writeAudit(.userAddress, of: email, address, by: actor) }
        return true
    }

    /// Throws `invalid` for an address under which a service has passed on mail of many people.
    private func refuseRelay(_ address: String, _ operation: String) throws {
        guard try db.exists("SELECT 1 FROM misroute WHERE lower(sender) = ? AND relay IS NOT NULL", [address])
        else { return }
        throw StoreError(
            .invalid, operation,
            "a service sends mail of many people from it (a group, certified mail or a journal), as kept mail shows: "
                + "it is nobody's own. Register the authors' addresses, and file such mail by `fundmail misrouted "
                + "assign`")
    }

    /// False when it is not theirs. Throws `invalid` for the address that names them.
    @discardableResult
    func remove(_ address: String, from user: User.ID) throws -> Bool {
        let address = try parse(address).description
        let operation = "remove the address \(address)"
        let email = try Self.email(of: user, db, operation)
        guard address != email else {
            throw StoreError(.invalid, operation, "the user is named by it")
        }
        guard try db.execute("DELETE FROM address WHERE user_id = ? AND address = ?", [user, address]) > 0 else {
            return false
        }
        try db.writeAudit(.userAddressRemove, of: email, address, by: actor)
        return true
    }

    /// Whether a user is disabled, or gone.
    static func isDisabled(_ user: User.ID, _ db: Database) throws -> Bool {
        try db.value("SELECT is_disabled FROM \"user\" WHERE id = ?", [user]) ?? true
    }

    /// Whether mail from an address is a user's by the addresses that are registered now: one of theirs, also with a
    /// detail behind its local part (RFC 5233), and no other person's. The rules are asked before.
    static func isSender(_ user: User.ID, from address: String?, _ db: Database) throws -> Bool {
        guard let sender = address.flatMap({ EmailAddress($0) }) else { return false }
        let owner: User.ID? = try db.value("SELECT user_id FROM address WHERE address = ?", [sender.description])
        if let owner { return owner == user }
        let addresses: [String] = try db.values("SELECT address FROM address WHERE user_id = ?", [user])
        return addresses.compactMap { EmailAddress($0) }.contains { own in
            guard own.domain == sender.domain, sender.localPart.utf8.starts(with: own.localPart.utf8) else {
                return false
            }
            let next = sender.localPart.utf8.dropFirst(own.localPart.utf8.count).first
            return next.map { !ASCII.isAlphanumeric($0) && $0 != UInt8(ascii: ".") } ?? true
        }
    }

    /// The person who gets a letter that answers no mail, or why they may not be told any more: they may be disabled,
    /// and the address another person's by now.
    static func recipient(
        _ user: User.ID, at address: String, _ db: Database
    ) throws -> (NotificationRecipient?, problem: String) {
        let row = try db.row(
            """
            SELECT name, is_disabled, language,
                EXISTS (SELECT 1 FROM address WHERE user_id = "user".id AND address = ?2)
            FROM "user" WHERE id = ?1
            """, [user, address])
        guard let row, !row[1] else { return (nil, "the user is disabled") }
        guard row[3] else { return (nil, "the address is none of the person any more") }
        let (name, language): (String?, String?) = (row[0], row[2])
        return (
            NotificationRecipient(
                user: user, name: name?.isEmpty == true ? nil : name, language: language.flatMap(PersonLanguage.init)),
            ""
        )
    }

    /// Throws `notFound` for a disabled user.
    static func checkEnabled(_ user: User.ID, _ db: Database, _ operation: String) throws {
        if try isDisabled(user, db) { throw StoreError(.notFound, operation, "the user is disabled") }
    }

    /// Throws `conflict` when `actor` is a user who is no administrator, or none any more. See `administering`.
    func checkActor(_ operation: String) throws {
        let isAdministrator =
            try db.value(
                "SELECT is_administrator = 1 AND is_disabled = 0 FROM \"user\" WHERE email = ?", [actor]) ?? true
        guard isAdministrator else { throw StoreError(.conflict, operation, "\(actor) is no administrator") }
    }

    /// An administrator who has the role or the access of all others taken away is left; so there is always one.
    private func checkOther(_ email: String, _ operation: String) throws {
        guard email != actor else {
            throw StoreError(.conflict, operation, "another administrator has to do this: it is about yourself")
        }
    }

    /// Throws `conflict` when it takes away the role of `actor`.
    func setAdministrator(_ isAdministrator: Bool, _ user: User.ID) throws {
        let operation = "change a role"
        let email = try Self.email(of: user, db, operation)
        if !isAdministrator { try checkOther(email, operation) }
        guard try set("is_administrator", isAdministrator, of: user) else { return }
        try db.writeAudit(.userRole, of: email, isAdministrator ? "administrator" : "user", by: actor)
    }

    /// Throws `invalid` for a name that no list could show.
    private func displayName(_ name: String) throws -> String {
        let label = name.label
        guard label.unicodeScalars.count <= Self.maxNameLength else {
            throw StoreError(.invalid, "name a user", "a name has at most \(Self.maxNameLength) characters")
        }
        return label
    }

    /// - Parameter name: for display; an empty one takes it away.
    func rename(_ user: User.ID, to name: String) throws {
        let email = try Self.email(of: user, db, "rename a user")
        let name = try displayName(name)
        guard try set("name", name.isEmpty ? nil : name, of: user) else { return }
        try db.writeAudit(.userRename, of: email, name, by: actor)
    }

    /// Notes a user's own choice of receipts; nil for that of the mailbox. False when it was so already.
    @discardableResult
    func setReceipts(_ choice: ReceiptChoice?, of user: User.ID) throws -> Bool {
        let email = try Self.email(of: user, db, "choose receipts")
        guard try set("receipts", choice?.rawValue, of: user) else { return false }
        try db.writeAudit(.userUpdate, of: email, "receipts \(choice?.rawValue ?? "as the mailbox")", by: actor)
        return true
    }

    /// Changes the digests that a person gets. False when all was so already. Throws `invalid` for the digest of the
    /// desk to who is no administrator.
    @discardableResult
    func setDigests(_ change: DigestChange, of user: User.ID) throws -> Bool {
        let operation = "choose digests"
        let email = try Self.email(of: user, db, operation)
        let before = try db.row("SELECT news IS NOT NULL, is_administrator FROM \"user\" WHERE id = ?", [user])
        var isChanged = false
        if let language = change.language, try set("language", language.rawValue, of: user) {
            try db.writeAudit(.userUpdate, of: email, "language \(language.rawValue)", by: actor)
            isChanged = true
        }
        if let news = change.news, try set("news", news == .off ? nil : news.rawValue, of: user) {
            let rows = DigestRows(db: db)
            try before?[0] == true ? rows.changePace(of: user) : rows.begin(.news, of: user)
            try db.writeAudit(.userUpdate, of: email, "news \(news.rawValue)", by: actor)
            isChanged = true
        }
        if let desk = change.desk {
            guard !desk || before?[1] == true else {
                throw StoreError(.invalid, operation, "administrators alone get the digest of the desk")
            }
            if try set("desk_digest", desk, of: user) {
                if desk { try DigestRows(db: db).begin(.desk, of: user) }
                try db.writeAudit(.userUpdate, of: email, "desk digest \(desk ? "on" : "off")", by: actor)
                isChanged = true
            }
        }
        return isChanged
    }

    /// Says whether mail from an address of theirs is answered although nothing proves its sender. False when it was so
    /// already. Throws `notFound` when it is not theirs.
    @discardableResult
    func setAnswered(_ isAnswered: Bool, _ address: String, of user: User.ID) throws -> Bool {
        let address = try parse(address).description
        let operation = "answer mail from \(address)"
        let email = try Self.email(of: user, db, operation)
        guard try owner(of: address) == user else {
            throw StoreError(.notFound, operation, "\(address) is no address of \(email)")
        }
        let sql = "UPDATE address SET is_answered = ?1 WHERE address = ?2 AND is_answered <> ?1"
        guard try db.execute(sql, [isAnswered, address]) > 0 else { return false }
        try db.writeAudit(.userUpdate, of: email, "\(isAnswered ? "answered" : "unanswered") \(address)", by: actor)
        return true
    }

    /// Notes how much a user may have. False when it was so already. Throws `invalid` for a negative limit.
    @discardableResult
    func setQuota(_ quota: StorageQuota, of user: User.ID) throws -> Bool {
        let operation = "limit what a user may have"
        let email = try Self.email(of: user, db, operation)
        guard try StorageRoom.quota(of: user, db) != quota else { return false }
        try db.execute("DELETE FROM user_quota WHERE user_id = ?", [user])
        let insertion = "INSERT INTO user_quota (user_id, bytes) VALUES (?, ?)"
        switch quota {
        case .standard: try db.writeAudit(.userQuota, of: email, "that of all", by: actor)
        case .unlimited:
            try db.execute(insertion, [user, nil as Int64?])
            try db.writeAudit(.userQuota, of: email, "none", by: actor)
        case .bytes(let bytes):
            guard bytes >= 0 else { throw StoreError(.invalid, operation, "a limit is at least 0 bytes") }
            try db.execute(insertion, [user, bytes])
            try db.writeAudit(.userQuota, of: email, "\(bytes) bytes", by: actor)
        }
        return true
    }

    /// False when the column had the value.
    private func set(_ column: StaticString, _ value: (any SQLValue)?, of user: User.ID) throws -> Bool {
        let sql = "UPDATE \"user\" SET \(column) = ?1 WHERE id = ?2 AND \(column) IS DISTINCT FROM ?1"
        return try db.execute(sql, [value, user]) > 0
    }

    /// False when it was so already. Throws `conflict` when `actor` would disable themselves.
    func setDisabled(_ isDisabled: Bool, _ user: User.ID) throws -> Bool {
        let operation = isDisabled ? "disable a user" : "enable a user"
        let email = try Self.email(of: user, db, operation)
        if isDisabled { try checkOther(email, operation) }
        guard try set("is_disabled", isDisabled, of: user) else { return false }
        if isDisabled { try endTokens(of: user) }
        try db.writeAudit(isDisabled ? .userDisable : .userEnable, of: email, by: actor)
        return true
    }

    /// Ends the tokens of a disabled user, who signs in anew when enabled again, and the links by which they share. A
    /// mobile token stays known, so that its program is told to sign in.
    private func endTokens(of user: User.ID) throws {
        try Self.forgetReset(of: user, db)
        try ShareLinkRows.revokeAll(of: user, db)
        try db.execute(
            "UPDATE token SET revoked_at = ? WHERE user_id = ? AND revoked_at IS NULL", [Timestamp.now, user])
    }

    private static func forgetReset(of user: User.ID, _ db: Database) throws {
        try db.execute("DELETE FROM password_reset WHERE user_id = ?", [user])
    }

    /// Ends what an earlier password opened.
    /// - Parameters:
    ///   - hash: as `PasswordHash` writes it; nil for none.
    ///   - detail: for the audit trail.
    func setPassword(_ hash: String?, of user: User.ID, detail: String = "") throws {
        let email = try Self.email(of: user, db, "set a password")
        try db.execute("UPDATE \"user\" SET password = ? WHERE id = ?", [hash, user])
        try Self.forgetTokens(of: user, db)
        try db.writeAudit(.userPassword, of: email, detail, by: actor)
    }

    /// Sessions and app passwords that an earlier password, or a login with it, opened; and a link that would set
    /// another one.
    static func forgetTokens(of user: User.ID, keeping token: TokenRecord.ID? = nil, _ db: Database) throws {
        try forgetReset(of: user, db)
        try db.execute(
            """
            UPDATE token SET revoked_at = coalesce(revoked_at, ?), sealed = NULL
            WHERE user_id = ? AND (revoked_at IS NULL OR sealed IS NOT NULL) AND id IS DISTINCT FROM ?
            """, [Timestamp.now, user, token])
    }

    func importRow(_ row: UserImportRow) throws -> UserImportResult {
        let email = try parse(row.email).description
        guard let id = try owner(of: email) else {
            let user = try insert(row)
            for fund in row.funds { try FundRows(db: db, actor: actor).insert(fund, owner: user.id, aliases: []) }
            return .added
        }
        if row.isAdministrator == false || row.isDisabled == true {
            let operation = "import a user"
            do { try checkOther(try Self.email(of: id, db, operation), operation) } catch let error as StoreError {
                throw StoreError(.invalid, operation, error.detail)
            }
        }
        let changed = try db.execute(
            """
            UPDATE "user" SET name = coalesce(?1, name), is_administrator = coalesce(?2, is_administrator),
                is_disabled = coalesce(?3, is_disabled)
            WHERE id = ?4 AND (name IS DISTINCT FROM coalesce(?1, name)
                OR is_administrator <> coalesce(?2, is_administrator) OR is_disabled <> coalesce(?3, is_disabled))
            """, [try row.name.map(displayName), row.isAdministrator, row.isDisabled, id])
        var isChanged = changed > 0
        if row.isDisabled == true { try endTokens(of: id) }
        if isChanged { try db.writeAudit(.userUpdate, of: email, "import", by: actor) }
        for address in row.addresses where try add(address, to: id) { isChanged = true }
        for fund in row.funds where try FundRows(db: db, actor: actor).insertIfMissing(fund, owner: id) {
            isChanged = true
        }
        return isChanged ? .updated : .unchanged
    }

    private func owner(of address: String) throws -> User.ID? {
        try db.value("SELECT user_id FROM address WHERE address = ?", [address])
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
        // A form that left it empty stored it so.
        let name: String? = row["name"]
        self.init(
            id: row["id"], email: row["email"], name: name?.isEmpty == true ? nil : name,
            isDisabled: row["is_disabled"],
            isAdministrator: row["is_administrator"])
        receipts = (row["receipts"] as String?).flatMap(ReceiptChoice.init)
        news = (row["news"] as String?).flatMap(NewsPace.init) ?? .off
        hasDeskDigest = row["desk_digest"]
        language = (row["language"] as String?).flatMap(PersonLanguage.init)
    }
}
