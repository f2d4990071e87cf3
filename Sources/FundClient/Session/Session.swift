internal import Foundation
internal import HTTPTypes
internal import Synchronization

/// A signed-in user on a server: what all calls go through. May be used by any number of tasks at a time.
///
/// Calls that are safe to repeat are repeated as `retries` says; others fail with the first error.
public final class Session: Sendable {
    /// Who is signed in, and where.
    public let account: Account
    /// Over which all calls go.
    public let transport: any HTTPTransport
    /// What is tried again, and how often.
    public let retries: RetryPolicy
    /// The server's time.
    public let clock: ServerClock

    private let store: any CredentialStore
    private let known = Mutex<Credentials?>(nil)
    let placeFunds = PlaceFunds()
    let pieceLimit = PieceLimit()

    /// - Parameters:
    ///   - credentials: are read with the first call.
    ///   - transport: is not shut down by the session; others may use it, too.
    public init(
        account: Account, credentials: any CredentialStore, transport: any HTTPTransport,
        retries: RetryPolicy = RetryPolicy()
    ) {
        self.account = account
        self.store = credentials
        self.transport = transport
        self.retries = retries
        self.clock = ServerClock()
    }

    /// The credentials of the account. Throws `unauthenticated` when there are none.
    func credentials() async throws(ClientError) -> Credentials {
        if let credentials = known.withLock({ $0 }) { return credentials }
        guard let credentials = try await store.credentials(of: account) else {
            throw ClientError(.unauthenticated, "\(account.email) is not signed in to \(account.server)")
        }
        known.withLock { $0 = credentials }
        return credentials
    }

    /// Ends the session on the server and forgets the credentials; these also when the server cannot be reached, which
    /// is thrown then.
    public func signOut() async throws(ClientError) {
        var failure: ClientError?
        do {
            try await done(Call(.delete, "/api/v1/session", isRepeatable: true))
        } catch {
            // Without credentials, or with those of an ended session, there is nothing to end.
            if error.code != .unauthenticated { failure = error }
        }
        known.withLock { $0 = nil }
        try await store.remove(account)
        if let failure { throw failure }
    }
}
