internal import FundCore
internal import Synchronization

/// Bounds the memory of the zip files that are being sent.
final class ZipUse: Sendable {
    /// One zip file that is being sent; it counts for as long as this lives.
    final class Share: Sendable {
        private let use: ZipUse
        private let user: User.ID
        private let entries = Atomic<Int>(0)

        fileprivate init(_ use: ZipUse, _ user: User.ID) {
            self.use = use
            self.user = user
        }

        /// Counts the entries of the zip file, once they are known. Throws `busy`.
        func add(entries count: Int) throws {
            try use.add(count)
            entries.add(count, ordering: .relaxed)
        }

        deinit { use.remove(user, entries.load(ordering: .relaxed)) }
    }

    private struct State {
        var counts: [User.ID: Int] = [:]
        var entries = 0
    }

    private let maxEntries: Int
    private let maxOfUser: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - maxEntries: of all zip files together.
    ///   - maxOfUser: zip files of one user at the same time.
    init(maxEntries: Int, maxOfUser: Int) {
        self.maxEntries = maxEntries
        self.maxOfUser = maxOfUser
    }

    /// Throws `busy` when the user has as many as are allowed.
    func share(of user: User.ID) throws -> Share {
        let hasRoom = state.withLock { state in
            guard state.counts[user, default: 0] < maxOfUser else { return false }
            state.counts[user, default: 0] += 1
            return true
        }
        guard hasRoom else { throw RequestError.busy }
        return Share(self, user)
    }

    private func add(_ count: Int) throws {
        let hasRoom = state.withLock { state in
            guard state.entries + count <= maxEntries else { return false }
            state.entries += count
            return true
        }
        guard hasRoom else { throw RequestError.busy }
    }

    private func remove(_ user: User.ID, _ count: Int) {
        state.withLock { state in
            state.entries -= count
            let rest = state.counts[user, default: 1] - 1
            state.counts[user] = rest > 0 ? rest : nil
        }
    }
}
