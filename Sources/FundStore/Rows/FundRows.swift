internal import GRDB
import FundCore

/// Writes funds, their aliases, and the keys under which tags find them, within one transaction.
struct FundRows {
    /// Each is checked against the names that are there.
    static let maxAliases = 100

    let db: Database
    let actor: String

    @discardableResult
    func insert(_ name: String, owner: User.ID, aliases: [String]) throws -> Fund {
        let operation = "add the fund \(name)"
        let email = try UserRows.email(of: owner, db, operation)
        try check(name, operation)
        try db.execute(
            sql: "INSERT INTO fund (owner_id, name, created_at) VALUES (?, ?, ?)",
            arguments: [owner, name, Timestamp.now])
        let id = db.lastInsertedID(Fund.self)
        try claim(name, for: id, of: owner, operation)
        for alias in aliases { try addAlias(alias, to: id, isSilent: true) }
        try Audit.write(
            db, actor: actor, action: "fund.add", subject: "\(email)/\(name)", detail: aliases.joined(separator: ", "))
        return try fund(id, operation)
    }

    func insertIfMissing(_ name: String, owner: User.ID) throws -> Bool {
        try check(name, "add the fund \(name)")
        guard try holder(of: FundName.key(name), owner: owner) == nil else { return false }
        try insert(name, owner: owner, aliases: [])
        return true
    }

    @discardableResult
    func addAlias(_ alias: String, to id: Fund.ID, isSilent: Bool = false) throws -> Bool {
        let operation = "add the alias \(alias)"
        try check(alias, operation)
        let fund = try fund(id, operation)
        if try holder(of: FundName.key(alias), owner: fund.owner) == id { return false }
        try claim(alias, for: id, of: fund.owner, operation)
        try db.execute(sql: "INSERT INTO fund_alias (fund_id, name) VALUES (?, ?)", arguments: [id, alias])
        if !isSilent { try Audit.write(db, actor: actor, action: "fund.alias", subject: fund.name, detail: alias) }
        return true
    }

    /// Exactly these. Throws `invalid` for more than `maxAliases`.
    func setAliases(_ aliases: [String], of id: Fund.ID) throws {
        guard aliases.count <= Self.maxAliases else {
            throw StoreError(
                .invalid, "set the aliases of a fund", "a fund has at most \(Self.maxAliases) aliases")
        }
        let fund = try fund(id, "set the aliases of a fund")
        let name = FundName.key(fund.name)
        for alias in fund.aliases {
            try db.execute(sql: "DELETE FROM fund_alias WHERE fund_id = ? AND name = ?", arguments: [id, alias])
            guard FundName.key(alias) != name else { continue }
            try db.execute(
                sql: "DELETE FROM fund_key WHERE owner_id = ? AND key = ? AND fund_id = ?",
                arguments: [fund.owner, FundName.key(alias), id])
        }
        for alias in aliases { try addAlias(alias, to: id, isSilent: true) }
        guard aliases != fund.aliases else { return }
        try Audit.write(
            db, actor: actor, action: "fund.alias", subject: fund.name, detail: aliases.joined(separator: ", "))
    }

    func rename(_ id: Fund.ID, to name: String) throws {
        let operation = "rename a fund to \(name)"
        try check(name, operation)
        let fund = try fund(id, operation)
        guard fund.name != name else { return }
        let (old, new) = (FundName.key(fund.name), FundName.key(name))
        if old != new {
            // A former alias becomes the name; the former name goes, else mail would still come in under it unasked.
            if try holder(of: new, owner: fund.owner) == id {
                for alias in fund.aliases where FundName.key(alias) == new {
                    try db.execute(
                        sql: "DELETE FROM fund_alias WHERE fund_id = ? AND name = ?", arguments: [id, alias])
                }
            } else {
                try claim(name, for: id, of: fund.owner, operation)
            }
        }
        try db.execute(sql: "UPDATE fund SET name = ? WHERE id = ?", arguments: [name, id])
        try dropUnusedKeys(of: id)
        try Audit.write(db, actor: actor, action: "fund.rename", subject: fund.name, detail: name)
    }

    /// By what its names are: a key of an earlier version (`NameKeySchema`) is found by none of them.
    private func dropUnusedKeys(of id: Fund.ID) throws {
        let fund = try fund(id, "rename a fund")
        let used = Set(([fund.name] + fund.aliases).map(FundName.key))
        for key in try String.fetchAll(db, sql: "SELECT key FROM fund_key WHERE fund_id = ?", arguments: [id])
        where !used.contains(key) {
            try db.execute(
                sql: "DELETE FROM fund_key WHERE owner_id = ? AND key = ? AND fund_id = ?",
                arguments: [fund.owner, key, id])
        }
    }

    func archive(_ id: Fund.ID) throws {
        let fund = try fund(id, "archive a fund")
        try db.execute(
            sql: "UPDATE fund SET archived_at = ? WHERE id = ? AND archived_at IS NULL",
            arguments: [Timestamp.now, id])
        guard db.changesCount > 0 else { return }
        try db.execute(sql: "DELETE FROM fund_key WHERE fund_id = ?", arguments: [id])
        try Audit.write(db, actor: actor, action: "fund.archive", subject: fund.name)
    }

    private func fund(_ id: Fund.ID, _ operation: String) throws -> Fund {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT owner_id, name FROM fund WHERE id = ? AND deleted_at IS NULL", arguments: [id])
        else {
            throw StoreError(.notFound, operation, "there is no fund \(id)")
        }
        let aliases = try String.fetchAll(
            db, sql: "SELECT name FROM fund_alias WHERE fund_id = ? ORDER BY id", arguments: [id])
        return Fund(id: id, owner: row[0], name: row[1], aliases: aliases)
    }

    private func holder(of key: String, owner: User.ID) throws -> Fund.ID? {
        try Fund.ID.fetchOne(
            db, sql: "SELECT fund_id FROM fund_key WHERE owner_id = ? AND key = ?", arguments: [owner, key])
    }

    private func claim(_ name: String, for id: Fund.ID, of owner: User.ID, _ operation: String) throws {
        if let other = try holder(of: FundName.key(name), owner: owner) {
            let taken = try fund(other, operation).name
            throw StoreError(.alreadyExists, operation, "the fund \(taken) of this user is found under this name")
        }
        try db.execute(
            sql: "INSERT INTO fund_key (owner_id, key, fund_id) VALUES (?, ?, ?)",
            arguments: [owner, FundName.key(name), id])
    }

    private func check(_ name: String, _ operation: String) throws {
        if let problem = FundName.problem(with: name) { throw StoreError(.invalid, operation, problem) }
    }
}
