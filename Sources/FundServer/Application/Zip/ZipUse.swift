internal import FundHTTP
internal import FundCore
internal import Synchronization

/// Bounds the memory of the zip files that are being sent.
final class ZipUse: Sendable {
    /// One zip file that is being sent; it counts for as long as this lives.
    final class Share: Sendable {
        private let use: ZipUse
        private let permit: UserPermits.Permit
        private let entries = Atomic<Int>(0)

        fileprivate init(_ use: ZipUse, _ permit: UserPermits.Permit) {
            self.use = use
            self.permit = permit
        }

        /// Counts the entries of the zip file, once they are known. Throws `busy`.
        func add(entries count: Int) throws {
            try use.add(count)
            entries.add(count, ordering: .relaxed)
        }

        deinit { use.entries.withLock { $0 -= entries.load(ordering: .relaxed) } }
    }

    private let maxEntries: Int
    private let permits: UserPermits
    /// Entries of all zip files that are being sent.
    private let entries = Mutex(0)

    /// - Parameters:
    ///   - maxEntries: of all zip files together.
    ///   - maxOfUser: zip files of one user at the same time.
    init(maxEntries: Int, maxOfUser: Int) {
        self.maxEntries = maxEntries
        permits = UserPermits(most: maxOfUser)
    }

    /// Throws `busy` when the user has as many as are allowed.
    func share(of user: User.ID) throws -> Share {
        guard let permit = permits.permit(for: user) else { throw RequestError.busy }
        return Share(self, permit)
    }

    private func add(_ count: Int) throws {
        let hasRoom = entries.withLock { entries in
            guard entries + count <= maxEntries else { return false }
            entries += count
            return true
        }
        guard hasRoom else { throw RequestError.busy }
    }
}
