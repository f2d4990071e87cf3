internal import FundCore
internal import Synchronization

/// Counts what each user has at a time, such as streams or zip files, and bounds it.
final class UserPermits: Sendable {
    /// A permit for one; it ends with its last reference.
    final class Permit: Sendable {
        let user: User.ID
        private let permits: UserPermits

        fileprivate init(of user: User.ID, _ permits: UserPermits) { (self.user, self.permits) = (user, permits) }

        deinit { permits.leave(user) }
    }

    private let most: Int
    private let counts = Mutex<[User.ID: Int]>([:])

    /// - Parameter most: of one user at the same time.
    init(most: Int) { self.most = most }

    /// Nil when the user has as many as are allowed.
    func permit(for user: User.ID) -> Permit? {
        let isFree = counts.withLock { counts in
            guard counts[user, default: 0] < most else { return false }
            counts[user, default: 0] += 1
            return true
        }
        return isFree ? Permit(of: user, self) : nil
    }

    func count(of user: User.ID) -> Int { counts.withLock { $0[user, default: 0] } }

    private func leave(_ user: User.ID) {
        counts.withLock { $0[user] = $0[user].flatMap { $0 > 1 ? $0 - 1 : nil } }
    }
}
