import FundClient
import Synchronization

/// Credentials in memory, as an app's key store keeps them.
final class MemoryStore: CredentialStore {
    private let known = Mutex<[Account: Credentials]>([:])

    func credentials(of account: Account) async throws(ClientError) -> Credentials? { known.withLock { $0[account] } }

    func save(_ credentials: Credentials, of account: Account) async throws(ClientError) {
        known.withLock { $0[account] = credentials }
    }

    func remove(_ account: Account) async throws(ClientError) { known.withLock { $0[account] = nil } }
}
