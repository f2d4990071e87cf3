internal import FundCore
internal import Synchronization

/// Sessions whose owners have proved lately that it is they who sit there: only they change how one signs in.
final class FreshProofs: Sendable {
    /// Time for which a proof is fresh; signing in is one.
    static let lifetime = Duration.seconds(600)
    private static let maxEntries = 8192

    private let times = Mutex(BoundedTable<CredentialCache.TokenKey, Timestamp>(maxEntries: maxEntries))

    func note(_ session: TokenRecord, at now: Timestamp) {
        times.withLock { $0[CredentialCache.TokenKey(session)] = now }
    }

    func isFresh(_ session: TokenRecord, at now: Timestamp) -> Bool {
        let proved = times.withLock { $0[CredentialCache.TokenKey(session)] } ?? session.createdAt
        return proved <= now && now - proved < Self.lifetime
    }
}
