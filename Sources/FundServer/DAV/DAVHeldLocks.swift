internal import FundCore

/// The locks that hold, without those of people who do not see the fund any more: such people cannot unlock
/// anything in it, and other people may not unlock it for them.
extension WebDAV {
    /// The locks that hold for the last item of a chain, see `LockTable.locks`.
    func heldLocks(
        on chain: [LibraryItemID?], isMissing: Bool = false, for user: User.ID
    ) async throws -> [HeldLock] {
        if let fund = LockTable.fund(chain) { try await endLocksOfFormerMembers(of: [fund], besides: user) }
        return locks.locks(on: chain, isMissing: isMissing, for: user)
    }

    /// The locks that can hold for a person in some funds, see `LockTable.locks`.
    func heldLocks(in funds: Set<Fund.ID>, for user: User.ID) async throws -> [Lock] {
        try await endLocksOfFormerMembers(of: funds, besides: user)
        return locks.locks(for: user, in: funds)
    }

    /// One query for each other person who has locks in one of the funds.
    private func endLocksOfFormerMembers(of funds: Set<Fund.ID>, besides user: User.ID) async throws {
        for fund in funds {
            for creator in locks.creators(in: fund, besides: user) {
                do {
                    _ = try await library.fund(fund, of: creator)
                } catch let failure as StoreError where failure.code == .notFound {
                    locks.removeLocks(of: creator, in: fund)
                }
            }
        }
    }
}
