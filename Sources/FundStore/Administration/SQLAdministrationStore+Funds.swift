package import FundCore

extension SQLAdministrationStore {
    /// Funds by owner and name; archived ones only when asked for.
    package func funds(owner: User.ID? = nil, includingArchived: Bool = false) async throws -> [FundRecord] {
        try await connection.reading("list funds") { db in
            try Self.fundRecords(
                db,
                where: """
                    (?1 IS NULL OR fund.owner_id = ?1) AND fund.deleted_at IS NULL
                        AND (?2 = 1 OR fund.archived_at IS NULL)
                    """,
                [owner, includingArchived])
        }
    }

    /// All funds of that name or alias, of one owner or of all; no archived ones.
    package func funds(named name: String, owner: User.ID? = nil) async throws -> [FundRecord] {
        try await connection.reading("find the fund \(name)") { db in
            try Self.fundRecords(
                db,
                where: """
                    (?1 IS NULL OR fund.owner_id = ?1)
                        AND EXISTS (SELECT 1 FROM fund_key WHERE owner_id = fund.owner_id AND key = ?2
                            AND fund_id = fund.id)
                    """, [owner, FundName.key(name)])
        }
    }

    /// Throws `alreadyExists` when the owner has a fund or alias of that name, `invalid` for a name no tag can carry.
    @discardableResult
    package func addFund(name: String, owner: User.ID, aliases: [String], actor: String) async throws -> Fund {
        try await changing("add the fund \(name)", actor) { try $0.insert(name, owner: owner, aliases: aliases) }
    }

    /// Renames a fund: mail finds it under its new name, its former one, and its aliases.
    @discardableResult
    package func renameFund(_ fund: Fund.ID, to name: String, actor: String) async throws -> String? {
        let operation = "rename a fund"
        return try await changing(operation, actor) { rows in
            // An archived fund has no names that mail finds.
            guard try !rows.isArchived(fund) else { throw StoreError(.notFound, operation, "it is archived") }
            return try rows.rename(fund, to: name)
        }
    }

    /// Mail no longer finds it; what is in it stays. Its names are free again.
    package func archiveFund(_ fund: Fund.ID, actor: String) async throws {
        try await changing("archive a fund", actor) { try $0.archive(fund) }
    }

    package func restoreFund(_ fund: Fund.ID, actor: String) async throws -> String {
        let operation = "restore a fund"
        return try await connection.administering(operation, .reserve, by: actor) { db in
            let owner: User.ID? = try db.value(
                "SELECT owner_id FROM fund WHERE id = ? AND archived_at IS NOT NULL AND deleted_at IS NULL", [fund])
            guard let owner else { throw StoreError(.notFound, operation, "it is not archived") }
            return try LibraryChange(db: db, user: owner, limits: .none, actor: actor).restoreFund(fund).name
        }
    }

    @discardableResult
    package func giveFund(_ fund: Fund.ID, to newOwner: User.ID, actor: String) async throws -> FundGift {
        try await changing("give a fund away", actor) { [limits = connection.storageLimits] rows in
            try FundTransfer(db: rows.db, actor: actor, now: .now).run(fund, to: newOwner, limits)
        }
    }

    func changing<Result: Sendable>(
        _ operation: String, _ actor: String, _ body: @Sendable @escaping (FundRows) throws -> Result
    ) async throws -> Result {
        try await connection.administering(operation, by: actor) { try body(FundRows(db: $0, actor: actor)) }
    }

    /// Count of funds that are not deleted, archived ones included.
    package func countFunds() async throws -> Int {
        try await connection.reading("count funds") {
            try $0.value("SELECT count(*) FROM fund WHERE deleted_at IS NULL") ?? 0
        }
    }

    @discardableResult
    package func addAlias(_ alias: String, to fund: Fund.ID, actor: String) async throws -> Bool {
        let operation = "add the alias \(alias)"
        return try await changing(operation, actor) { rows in
            guard try !rows.isArchived(fund) else { throw StoreError(.notFound, operation, "it is archived") }
            return try rows.addAlias(alias, to: fund)
        }
    }

    @discardableResult
    package func removeAlias(_ alias: String, of fund: Fund.ID, actor: String) async throws -> Bool {
        try await changing("remove the alias \(alias)", actor) { try $0.removeAlias(alias, of: fund) }
    }

    package func fund(_ id: Fund.ID, includingArchived: Bool) async throws -> FundRecord {
        let operation = "find a fund"
        return try await connection.reading(operation) { db in
            let isWanted = "fund.id = ? AND (? = 1 OR fund.archived_at IS NULL) AND fund.deleted_at IS NULL"
            return try Self.fundRecords(db, where: isWanted, [id, includingArchived])
                .one(operation, "there is no such fund")
        }
    }

    static func fundRecords(
        _ db: Database, where condition: String, _ arguments: SQLArguments, limit: Int = .max
    ) throws -> [FundRecord] {
        try db.rows(
            """
            SELECT fund.id, fund.owner_id, fund.name, fund.created_at, fund.archived_at IS NOT NULL, "user".email,
                (SELECT count(*) FROM email WHERE fund_id = fund.id)
                    - (SELECT count(*) FROM deletion JOIN email ON email.id = deletion.item_id
                        WHERE deletion.owner_id = fund.owner_id AND deletion.kind = \(ItemKind.email.rawValue)
                            AND email.fund_id = fund.id),
                (SELECT count(*) FROM file WHERE fund_id = fund.id AND deleted_at IS NULL),
                (SELECT coalesce(sum(size), 0) FROM file WHERE fund_id = fund.id AND deleted_at IS NULL)
            FROM fund JOIN "user" ON "user".id = fund.owner_id WHERE \(condition)
            ORDER BY "user".email, fund.name, fund.id LIMIT ?\(arguments.count + 1)
            """, arguments + [limit]
        ).map { row in
            let fund = Fund(id: row[0], owner: row[1], name: row[2], aliases: try FundRows.aliases(of: row[0], db))
            return FundRecord(
                fund: fund, ownerEmail: row[5], createdAt: row[3], isArchived: row[4], emailCount: row[6],
                fileCount: row[7], bytes: row[8])
        }
    }
}
