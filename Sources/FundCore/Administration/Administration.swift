/// What administration needs of the store. `actor` is named in the audit trail. Errors are `StoreError`.
package protocol Administration: Sendable {
    /// By naming address, disabled ones included.
    func users() async throws -> [UserRecord]
    func users(_ page: PageQuery) async throws -> Page<UserRecord>
    /// Disabled ones included.
    func countUsers() async throws -> Int
    /// Throws `notFound`.
    func user(_ id: User.ID) async throws -> UserRecord
    /// Throws `alreadyExists` when another has one of the addresses.
    @discardableResult
    func addUser(
        email: String, name: String?, isAdministrator: Bool, addresses: [String], actor: String
    ) async throws -> User
    /// What is nil stays as it is. Both or neither: `alreadyExists` when another has the address. `condition` is asked
    /// in the transaction that makes the change, as an `ItemCondition` is. Gives the user as they are then.
    @discardableResult
    func changeUser(
        _ id: User.ID, isDisabled: Bool?, addedAddress: String?, if condition: (@Sendable (UserRecord) -> Bool)?,
        actor: String
    ) async throws -> UserRecord
    /// False when the user has it already; `alreadyExists` when another has it.
    @discardableResult
    func addAddress(_ address: String, to user: User.ID, actor: String) async throws -> Bool
    /// Throws `alreadyExists` when the owner has a fund or alias of that name, `invalid` for a name no tag can carry.
    @discardableResult
    func addFund(name: String, owner: User.ID, aliases: [String], actor: String) async throws -> Fund
    /// All funds that are not deleted, of all users.
    func funds() async throws -> [FundRecord]
    /// By owner and name.
    func funds(_ page: PageQuery) async throws -> Page<FundRecord>
    /// One of them. Throws `notFound`.
    func fund(_ id: Fund.ID) async throws -> FundRecord
    /// False when the fund has it already.
    @discardableResult
    func addAlias(_ alias: String, to fund: Fund.ID, actor: String) async throws -> Bool

    /// Oldest first.
    func misroutes(_ filter: MisrouteFilter) async throws -> [MisrouteRecord]
    func misroutes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> Page<MisrouteRecord>
    /// All that the filter admits.
    func countMisroutes(_ filter: MisrouteFilter) async throws -> Int
    /// Throws `notFound`.
    func misroute(_ id: MisrouteRecord.ID) async throws -> MisrouteRecord
    /// How many messages are or were kept, by reason.
    func keptCounts() async throws -> [KeptCount]
    /// What the filter admits, newest first. Throws `tookTooLong` when it would take seconds to find.
    func audit(_ filter: AuditFilter, _ page: PageQuery) async throws -> Page<AuditEntry>
    /// All actions that are in the audit trail, in the order of their names.
    func auditActions() async throws -> [String]
}
