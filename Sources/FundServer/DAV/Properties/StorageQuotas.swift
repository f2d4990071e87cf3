internal import FundCore
internal import Synchronization

/// The space that users' files take, and what is left (RFC 4331). Clients ask for it with every listing, and adding up
/// a hundred thousand files takes a tenth of a second, so that it is kept for some seconds.
final class StorageQuotas: Sendable {
    private static let lifetime: Int64 = 10

    private let library: any FileLibrary
    private let known = Mutex(BoundedTable<User.ID, (use: StorageUse, at: Int64)>(maxEntries: 4096))

    init(_ library: any FileLibrary) { self.library = library }

    func use(of user: User.ID) async throws -> StorageUse {
        let now = LockTable.uptime()
        if let kept = known.withLock({ $0[user] }), now - kept.at < Self.lifetime { return kept.use }
        let use = try await library.storageUse(of: user)
        known.withLock { $0[user] = (use, now) }
        return use
    }
}
