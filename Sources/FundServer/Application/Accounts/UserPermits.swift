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

    private struct State {
        var counts: [User.ID: Int] = [:]
        var sum = 0
    }

    private let most: Int
    private let mostOfAll: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - most: of one user at the same time.
    ///   - mostOfAll: of all users together.
    init(most: Int, ofAll mostOfAll: Int = .max) { (self.most, self.mostOfAll) = (most, mostOfAll) }

    /// Nil when the user, or all together, have as many as are allowed.
    func permit(for user: User.ID) -> Permit? {
        let isFree = state.withLock { state in
            guard state.counts[user, default: 0] < most, state.sum < mostOfAll else { return false }
            state.counts[user, default: 0] += 1
            state.sum += 1
            return true
        }
        return isFree ? Permit(of: user, self) : nil
    }

    func count(of user: User.ID) -> Int { state.withLock { $0.counts[user, default: 0] } }

    private func leave(_ user: User.ID) {
        state.withLock { state in
            state.counts[user] = state.counts[user].flatMap { $0 > 1 ? $0 - 1 : nil }
            state.sum -= 1
        }
    }
}
