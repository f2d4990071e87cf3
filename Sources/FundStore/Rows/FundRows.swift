import FundCore

/// Writes funds, their aliases, and the keys under which tags find them, within one transaction.
///
/// A former name is an alias, by which mail goes on finding the fund. It gives way to a fund that is given that name on
/// purpose, which the caller is told and the audit trail notes.
struct FundRows {
    /// The fund that items come into whose own fund is gone or another person's.
    static let recovered = "Recovered files"
    /// Limit of aliases of a fund: each is checked against the names that are there.
    static let maxAliases = 100
    /// Limit of former names of a fund, which forgets the oldest beyond it.
    static let maxFormerNames = 100

    let db: Database
    let actor: String

    @discardableResult
    func insert(_ name: String, owner: User.ID, aliases: [String]) throws -> Fund {
        let operation = "add the fund \(name)"
        let email = try UserRows.email(of: owner, db, operation)
        try check(name, operation)
        let id: Fund.ID = try db.insert(
            "INSERT INTO fund (id, owner_id, name, created_at) VALUES (\(RowNumbers.next(.fund)), ?, ?, ?)",
            [owner, name, Timestamp.now])
        let formerHolder = try takeName(name, for: id, of: owner, operation)
        for alias in aliases { try addAlias(alias, to: id, isSilent: true) }
        try db.writeAudit(.fundAdd, of: "\(email)/\(name)", aliases.joined(separator: ", "), by: actor)
        var fund = try fund(id, operation)
        fund.tookNameFrom = formerHolder
        return fund
    }

    func insertIfMissing(_ name: String, owner: User.ID) throws -> Bool {
        try check(name, "add the fund \(name)")
        guard try holder(of: FundName.key(name), owner: owner) == nil else { return false }
        try insert(name, owner: owner, aliases: [])
        return true
    }

    /// The fund that has this name or alias, made if needed.
    func findOrInsert(_ name: String, owner: User.ID) throws -> Fund.ID {
        _ = try insertIfMissing(name, owner: owner)
        guard let fund = try holder(of: FundName.key(name), owner: owner) else {
            throw StoreError(.io, "add the fund \(name)", "it is missing")
        }
        return fund
    }

    @discardableResult
    func addAlias(_ alias: String, to id: Fund.ID, isSilent: Bool = false) throws -> Bool {
        let operation = "add the alias \(alias)"
        try check(alias, operation)
        let fund = try fund(id, operation)
        if try holder(of: FundName.key(alias), owner: fund.owner) == id {
            // An alias that is given on purpose stays.
            for name in try formerNames(of: id) where FundName.key(name) == FundName.key(alias) {
                try db.execute("UPDATE fund_alias SET is_former = 0 WHERE fund_id = ? AND name = ?", [id, name])
            }
            return false
        }
        try claim(alias, for: id, of: fund.owner, operation)
        try db.execute("INSERT INTO fund_alias (fund_id, name) VALUES (?, ?)", [id, alias])
        if !isSilent { try db.writeAudit(.fundAlias, of: fund.name, alias, by: actor) }
        return true
    }

    /// False when the fund has no such alias, as when it was deleted meanwhile.
    @discardableResult
    func removeAlias(_ alias: String, of id: Fund.ID) throws -> Bool {
        guard let row = try db.row("SELECT owner_id, name FROM fund WHERE id = ?", [id]) else { return false }
        let fund = Fund(id: id, owner: row[0], name: row[1], aliases: [])
        guard try dropAlias(alias, of: fund) else { return false }
        try db.writeAudit(.fundAliasRemove, of: fund.name, alias, by: actor)
        return true
    }

    /// Removes an alias with its key, unless that is the name's, too.
    @discardableResult
    private func dropAlias(_ alias: String, of fund: Fund) throws -> Bool {
        guard try db.execute("DELETE FROM fund_alias WHERE fund_id = ? AND name = ?", [fund.id, alias]) > 0 else {
            return false
        }
        if FundName.key(alias) != FundName.key(fund.name) { try dropKey(FundName.key(alias), of: fund) }
        return true
    }

    private func dropKey(_ key: String, of fund: Fund) throws {
        try db.execute(
            "DELETE FROM fund_key WHERE owner_id = ? AND key = ? AND fund_id = ?", [fund.owner, key, fund.id])
    }

    /// Gives a fund exactly these aliases. Throws `invalid` for more than `maxAliases`.
    func setAliases(_ aliases: [String], of id: Fund.ID) throws {
        let operation = "set the aliases of a fund"
        guard aliases.count <= Self.maxAliases else {
            throw StoreError(
                operation, InputProblem(.tooManyAliases, "a fund has at most \(Self.maxAliases) aliases"))
        }
        let (fund, former) = (try fund(id, operation), try formerNames(of: id))
        for alias in fund.aliases { try dropAlias(alias, of: fund) }
        for alias in aliases { try addAlias(alias, to: id, isSilent: true) }
        // A list that is sent back as it was changes nothing about them.
        for name in former {
            try db.execute("UPDATE fund_alias SET is_former = 1 WHERE fund_id = ? AND name = ?", [id, name])
        }
        guard aliases != fund.aliases else { return }
        try db.writeAudit(.fundAlias, of: fund.name, aliases.joined(separator: ", "), by: actor)
    }

    /// Renames a fund; mail finds it by its former name, too.
    /// - Returns: the fund that mail with this name found until now, because it was its name before.
    @discardableResult
    func rename(_ id: Fund.ID, to name: String) throws -> String? {
        let operation = "rename a fund to \(name)"
        try check(name, operation)
        let fund = try fund(id, operation)
        guard fund.name != name else { return nil }
        var formerHolder: String?
        let (old, new) = (FundName.key(fund.name), FundName.key(name))
        if old != new {
            // An alias becomes the name.
            if try holder(of: new, owner: fund.owner) == id {
                for alias in fund.aliases where FundName.key(alias) == new {
                    try db.execute("DELETE FROM fund_alias WHERE fund_id = ? AND name = ?", [id, alias])
                }
            } else {
                formerHolder = try takeName(name, for: id, of: fund.owner, operation)
            }
            try keepName(of: fund)
        }
        try db.execute("UPDATE fund SET name = ? WHERE id = ?", [name, id])
        try dropUnusedKeys(of: id)
        try db.writeAudit(.fundRename, of: fund.name, name, by: actor)
        return formerHolder
    }

    // MARK: Former names

    private func keepName(of fund: Fund) throws {
        let aliasKeys = Set(fund.aliases.map(FundName.key))
        guard !aliasKeys.contains(FundName.key(fund.name)) else { return }
        try db.execute(
            "INSERT INTO fund_alias (fund_id, name, is_former) VALUES (?, ?, 1)", [fund.id, fund.name])
        for name in try formerNames(of: fund.id).dropLast(Self.maxFormerNames) { try dropAlias(name, of: fund) }
    }

    /// Former names of a fund, the oldest first.
    private func formerNames(of fund: Fund.ID) throws -> [String] {
        try db.values("SELECT name FROM fund_alias WHERE fund_id = ? AND is_former = 1 ORDER BY id", [fund])
    }

    /// Takes a former name from the fund that holds it. Nil when it holds the name in another way.
    func giveUpFormerName(_ key: String, of id: Fund.ID) throws -> Fund? {
        guard let name = try formerNames(of: id).first(where: { FundName.key($0) == key }) else { return nil }
        let fund = try fund(id, "give up a former name")
        guard FundName.key(fund.name) != key else { return nil }
        try dropAlias(name, of: fund)
        // So that clients that follow the feed see it.
        try db.execute("UPDATE fund SET modified_at = ? WHERE id = ?", [Timestamp.now, id])
        try db.writeAudit(.fundAliasRemove, of: fund.name, "\(name): another fund has this name now", by: actor)
        return fund
    }

    /// Removes the keys that none of its names has now.
    private func dropUnusedKeys(of id: Fund.ID) throws {
        let fund = try fund(id, "rename a fund")
        let used = Set(([fund.name] + fund.aliases).map(FundName.key))
        let keys: [String] = try db.values("SELECT key FROM fund_key WHERE fund_id = ?", [id])
        for key in keys where !used.contains(key) { try dropKey(key, of: fund) }
    }

    func archive(_ id: Fund.ID) throws {
        let fund = try fund(id, "archive a fund")
        let sql = "UPDATE fund SET archived_at = ? WHERE id = ? AND archived_at IS NULL"
        guard try db.execute(sql, [Timestamp.now, id]) > 0 else { return }
        try db.execute("DELETE FROM fund_key WHERE fund_id = ?", [id])
        try db.writeAudit(.fundArchive, of: fund.name, by: actor)
    }

    /// False when there is no such fund.
    func isArchived(_ id: Fund.ID) throws -> Bool {
        try db.value("SELECT archived_at IS NOT NULL FROM fund WHERE id = ?", [id]) ?? false
    }

    private func fund(_ id: Fund.ID, _ operation: String) throws -> Fund {
        guard let row = try db.row("SELECT owner_id, name FROM fund WHERE id = ? AND deleted_at IS NULL", [id]) else {
            throw StoreError(.notFound, operation, "there is no fund \(id)")
        }
        return Fund(id: id, owner: row[0], name: row[1], aliases: try Self.aliases(of: id, db))
    }

    /// The aliases of a fund, in the order in which they were given.
    static func aliases(of fund: Fund.ID, _ db: Database) throws -> [String] {
        try db.values("SELECT name FROM fund_alias WHERE fund_id = ? ORDER BY id", [fund])
    }

    /// The aliases of several funds, without those that have none.
    static func aliases(of funds: [Fund.ID], _ db: Database) throws -> [Fund.ID: [String]] {
        guard !funds.isEmpty else { return [:] }
        return try db.grouped(
            "SELECT fund_id, name FROM fund_alias WHERE fund_id \(SQL.isAmong("?1")) ORDER BY id",
            [SQL.list(funds.map(\.rawValue))])
    }

    func holder(of key: String, owner: User.ID) throws -> Fund.ID? {
        try db.value("SELECT fund_id FROM fund_key WHERE owner_id = ? AND key = ?", [owner, key])
    }

    /// Claims the name of a fund, also where another was called so before.
    /// - Returns: the name of that other fund.
    private func takeName(
        _ name: String, for id: Fund.ID, of owner: User.ID, _ operation: String
    ) throws -> String? {
        let key = FundName.key(name)
        let formerHolder = try holder(of: key, owner: owner).flatMap { try giveUpFormerName(key, of: $0)?.name }
        try claim(name, for: id, of: owner, operation)
        return formerHolder
    }

    /// Throws `alreadyExists` when another fund of the owner is found under this name.
    func claim(_ name: String, for id: Fund.ID, of owner: User.ID, _ operation: String) throws {
        if let other = try holder(of: FundName.key(name), owner: owner) {
            let taken = try fund(other, operation).name
            throw StoreError(.alreadyExists, operation, "the fund \(taken) of this user is found under this name")
        }
        try db.execute(
            "INSERT INTO fund_key (owner_id, key, fund_id) VALUES (?, ?, ?)", [owner, FundName.key(name), id])
    }

    private func check(_ name: String, _ operation: String) throws {
        if let problem = FundName.problem(with: name) { throw StoreError(operation, problem) }
    }
}
