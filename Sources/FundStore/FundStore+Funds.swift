package import Ingest

extension FundStore {
    /// By owner and name. Archived ones only when asked for.
    package func funds(owner: User.ID? = nil, includingArchived: Bool = false) async throws -> [FundRecord] {
        throw StoreError(.invalid, "list funds", "not built yet")
    }

    /// All funds of that name or alias, of one owner or of all.
    package func funds(named name: String, owner: User.ID? = nil) async throws -> [FundRecord] {
        throw StoreError(.invalid, "find a fund", "not built yet")
    }

    /// Throws `alreadyExists` when the owner has a fund or alias of that name, `invalid` for a name no tag can carry.
    @discardableResult
    package func addFund(name: String, owner: User.ID, aliases: [String], actor: String) async throws -> Fund {
        throw StoreError(.invalid, "add a fund", "not built yet")
    }

    package func renameFund(_ fund: Fund.ID, to name: String, actor: String) async throws {
        throw StoreError(.invalid, "rename a fund", "not built yet")
    }

    /// Mail no longer finds it; what is in it stays. Its names are free again.
    package func archiveFund(_ fund: Fund.ID, actor: String) async throws {
        throw StoreError(.invalid, "archive a fund", "not built yet")
    }

    /// False when the fund has it already.
    @discardableResult
    package func addAlias(_ alias: String, to fund: Fund.ID, actor: String) async throws -> Bool {
        throw StoreError(.invalid, "add an alias", "not built yet")
    }

    /// The latest entries, newest first.
    package func audit(limit: Int = 100) async throws -> [AuditEntry] {
        throw StoreError(.invalid, "read the audit trail", "not built yet")
    }
}
