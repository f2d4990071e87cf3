internal import FundCore

/// Locks by the people who made them, with the funds in which those people have some.
struct LocksByCreator {
    private var locks: [User.ID: [Lock]] = [:]
    private var creators: [Fund.ID: Set<User.ID>] = [:]

    /// The people who have locks in a fund; some of these may have expired.
    func creators(in fund: Fund.ID) -> Set<User.ID> { creators[fund] ?? [] }

    /// Looks at the locks of a person, or changes them. Those that expired by `time` are gone before.
    mutating func withLocks<Result>(
        of user: User.ID, at time: ContinuousClock.Instant, _ body: (inout [Lock]) throws -> Result
    ) rethrows -> Result {
        let former = locks[user] ?? []
        var current = former.filter { $0.expiresAt > time }
        defer { replace(former, by: current, of: user) }
        return try body(&current)
    }

    private mutating func replace(_ former: [Lock], by current: [Lock], of user: User.ID) {
        locks[user] = current.isEmpty ? nil : current
        guard former != current else { return }
        let (before, after) = (Set(former.compactMap(\.fund)), Set(current.compactMap(\.fund)))
        for fund in before.subtracting(after) {
            creators[fund]?.remove(user)
            if creators[fund]?.isEmpty == true { creators[fund] = nil }
        }
        for fund in after.subtracting(before) { creators[fund, default: []].insert(user) }
    }
}
