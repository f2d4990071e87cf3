/// The part of the store for administrators. `actor` is named in the audit trail. Errors are `StoreError`.
package protocol Administration: Sendable {
    /// All users by naming address, disabled ones included.
    func users() async throws -> [UserRecord]
    /// - Parameter words: part of the name or of an address; nil admits all. Letters of ASCII are compared without
    ///   regard to case.
    func users(matching words: String?, _ page: PageQuery) async throws -> ListPage<UserRecord>
    /// Number of users that `users(matching:)` gives.
    func countUsers(matching words: String?) async throws -> Int
    /// Throws `notFound`.
    func user(_ id: User.ID) async throws -> UserRecord
    /// Throws `alreadyExists` when another has one of the addresses.
    @discardableResult
    func addUser(
        email: String, name: String?, isAdministrator: Bool, addresses: [String], actor: String
    ) async throws -> User
    /// The limits that hold for those who have none of their own, and for all together.
    var storageLimits: StorageLimits { get }
    /// Bytes that count for all people together, see `StorageUse`.
    func storedBytes() async throws -> Int64
    /// True when there is an administrator who is not disabled.
    func hasAdministrator() async throws -> Bool
    /// Decides in the transaction that adds them: of two at the same moment one throws `conflict`, as when there is an
    /// administrator already. A user who has the address becomes one, enabled and with this password; their sessions
    /// end. Throws `invalid` for what is no address.
    /// - Parameter passwordHash: as `Account` has it.
    func addFirstAdministrator(
        email: String, name: String?, passwordHash: String, actor: String
    ) async throws -> User
    /// All of it or nothing. Throws `alreadyExists` when another has the added address, `invalid` for the removal of
    /// the one that names the user, and `conflict` when `actor` would take away their own role or disable themselves,
    /// or is by now no administrator: so one is always left. `condition` is asked in the transaction that makes the
    /// change, as an `ItemCondition` is. Gives the user as they are then.
    @discardableResult
    func changeUser(
        _ id: User.ID, _ change: UserChange, if condition: (@Sendable (UserRecord) -> Bool)?, actor: String
    ) async throws -> UserRecord
    /// All in one transaction, one result a row. An invalid row changes nothing; `keeping` says what of the rest stays.
    func importUsers(
        _ rows: [UserImportRow], actor: String, keeping: UserImportKeeping
    ) async throws -> [UserImportResult]
    /// False when the user has it already; `alreadyExists` when another has it.
    @discardableResult
    func addAddress(_ address: String, to user: User.ID, actor: String) async throws -> Bool
    /// All funds that are not deleted, of all users.
    func funds() async throws -> [FundRecord]
    /// Funds that the filter admits, by owner and name.
    func funds(_ filter: FundFilter, _ page: PageQuery) async throws -> ListPage<FundRecord>
    /// A fund that is not deleted. Throws `notFound`.
    func fund(_ id: Fund.ID, includingArchived: Bool) async throws -> FundRecord
    /// Throws `alreadyExists` when the owner has a fund or alias of that name, `invalid` for a name that no tag can
    /// carry.
    @discardableResult
    func addFund(name: String, owner: User.ID, aliases: [String], actor: String) async throws -> Fund
    /// Renames a fund: mail finds it under its new name, its former one, and its aliases. Throws as `addFund`, and
    /// `notFound`.
    /// - Returns: the fund of the owner that mail with the new name found until now, because it was its name before.
    @discardableResult
    func renameFund(_ fund: Fund.ID, to name: String, actor: String) async throws -> String?
    /// Mail no longer finds it; what is in it stays, and its names are free again. Throws `notFound`.
    func archiveFund(_ fund: Fund.ID, actor: String) async throws
    /// Mail finds an archived fund again, under its name or a numbered one; aliases that others took are given up.
    /// Throws `notFound` for a fund that is not archived.
    /// - Returns: the name that it has now.
    func restoreFund(_ fund: Fund.ID, actor: String) async throws -> String
    /// To another owner, with everything in it: mail, files, notes, its trash, and its names. Its former owner's
    /// clients are told that it is gone. Throws `notFound`, `alreadyExists` when the
    /// new owner has a fund under one of its names, `overQuota` when they have no room for it, and `conflict` when they
    /// are disabled or `actor` is by now no administrator.
    @discardableResult
    func giveFund(_ fund: Fund.ID, to newOwner: User.ID, actor: String) async throws -> FundGift
    /// False when the fund has it already. Throws `notFound` for an archived fund, which mail does not find.
    @discardableResult
    func addAlias(_ alias: String, to fund: Fund.ID, actor: String) async throws -> Bool
    /// False when the fund has no such alias, by its bytes.
    @discardableResult
    func removeAlias(_ alias: String, of fund: Fund.ID, actor: String) async throws -> Bool

    /// Oldest first.
    func misroutes(_ filter: MisrouteFilter) async throws -> [MisrouteRecord]
    func misroutes(_ filter: MisrouteFilter, _ page: PageQuery) async throws -> ListPage<MisrouteRecord>
    /// All that the filter admits.
    func countMisroutes(_ filter: MisrouteFilter) async throws -> Int
    /// Throws `notFound`.
    func misroute(_ id: MisrouteRecord.ID) async throws -> MisrouteRecord
    /// Numbers of messages that are or were kept, by reason.
    func keptCounts() async throws -> [KeptCount]
    /// Audit entries that the filter admits, newest first. Throws `tookTooLong` when it would take seconds to find.
    func audit(_ filter: AuditFilter, _ page: PageQuery) async throws -> ListPage<AuditEntry>
    /// All actions that are in the audit trail, in the order of their names.
    func auditActions() async throws -> [String]
    /// Names of what entries of the audit trail mention, as far as it is still there.
    func auditNames(of references: AuditReferences) async throws -> AuditNames
}

extension Administration {
    /// One of the funds that mail finds. Throws `notFound`.
    package func fund(_ id: Fund.ID) async throws -> FundRecord { try await fund(id, includingArchived: false) }
}
