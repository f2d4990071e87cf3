/// The funds of a user, see `FileLibrary`.
package protocol FundLibrary: Sendable {
    /// All funds of the user that are not deleted.
    func funds(of user: User.ID) async throws -> [FundEntry]
    /// One page of the funds, by name. `invalid` for a malformed cursor, as for every list.
    func funds(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FundEntry>
    /// One that is not deleted.
    func fund(_ id: Fund.ID, of user: User.ID) async throws -> FundEntry
    /// One page of what a fund has: the folders at its top by name, then its files there, its mail and its notes
    /// together, latest first unless asked otherwise. Files that have later versions are left out.
    ///
    /// A filter leaves folders out. Mail and notes are of no kind, and notes have no sender. Versions that a filter
    /// lets through come one by one.
    func contents(
        of fund: Fund.ID, isOldestFirst: Bool, matching filter: FileFilter, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<FundContent>
    /// The items before and behind one in that list, without folders. One that the list leaves out has those between
    /// which it would stand. `notFound` for an item that is not there.
    func neighbours(
        of item: LibraryItemID, in fund: Fund.ID, isOldestFirst: Bool, matching filter: FileFilter, of user: User.ID
    ) async throws -> Neighbours<FundContent>
    /// One page of the funds, with how much is in each and what is new.
    func fundSummaries(of user: User.ID, _ page: PageQuery) async throws -> ListPage<FundSummary>
    /// The summary of one that is not deleted.
    func fundSummary(_ id: Fund.ID, of user: User.ID) async throws -> FundSummary
    /// Notes that the user has seen what is in the fund. What comes later is new; with `email`, the latest that was
    /// shown, emails after that one are. Never makes new again what was seen.
    func noteVisit(to fund: Fund.ID, upTo email: EmailSummary.ID?, of user: User.ID) async throws
    /// Throws `alreadyExists` when a fund or alias of the user reads like the name.
    func addFund(_ name: String, of user: User.ID) async throws -> FundEntry
    /// Changes name and aliases, all or nothing; nil leaves them. `aliases` are all that the fund has from now on.
    func changeFund(
        _ id: Fund.ID, name: String?, aliases: [String]?, if condition: ItemCondition?, of user: User.ID
    ) async throws -> FundEntry
    /// Closes a fund: it goes out of sight as a deleted one does, mail for it is misrouted from now on, and its name is
    /// free. It is never purged, and comes back by `restore`.
    func archiveFund(_ id: Fund.ID, if condition: ItemCondition?, of user: User.ID) async throws
    /// A new fund with folders, files and properties of another, or only its properties; no mail or notes. All or none.
    func copyFund(_ id: Fund.ID, to name: String, isShallow: Bool, of user: User.ID) async throws -> FundEntry
}

extension FundLibrary {
    /// All that a fund has, latest first.
    package func contents(
        of fund: Fund.ID, _ page: PageQuery, of user: User.ID
    ) async throws -> ListPage<FundContent> {
        try await contents(of: fund, isOldestFirst: false, matching: FileFilter(), page, of: user)
    }
}
