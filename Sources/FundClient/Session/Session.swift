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
    /// Retries of calls that are safe to repeat.
    public let retries: RetryPolicy
    /// The server's time.
    public let clock: ServerClock

    private let store: any CredentialStore
    private let known: KnownCredentials
    let placeFunds: PlaceFunds
    let pieceLimit: PieceLimit

    /// Credentials that were read.
    private final class KnownCredentials: Sendable { let value = Mutex<Credentials?>(nil) }

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
        clock = ServerClock()
        (known, placeFunds, pieceLimit) = (KnownCredentials(), PlaceFunds(), PieceLimit())
    }

    private init(_ other: Session, _ retries: RetryPolicy) {
        (account, store, transport, clock) = (other.account, other.store, other.transport, other.clock)
        (known, placeFunds, pieceLimit) = (other.known, other.placeFunds, other.pieceLimit)
        self.retries = retries
    }

    /// Returns this session with another retry policy.
    public func retrying(_ policy: RetryPolicy) -> Session { Session(self, policy) }

    /// Returns this session with calls that are made once each: for callers that retry themselves, since retries of two
    /// layers multiply.
    public func withoutRetries() -> Session { retrying(.never) }

    /// The credentials of the account. Throws `unauthenticated` when there are none.
    func credentials() async throws(ClientError) -> Credentials {
        if let credentials = known.value.withLock({ $0 }) { return credentials }
        guard let credentials = try await store.credentials(of: account) else {
            throw ClientError(.unauthenticated, "\(account.email) is not signed in to \(account.server)")
        }
        known.value.withLock { $0 = credentials }
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
        known.value.withLock { $0 = nil }
        try await store.remove(account)
        if let failure { throw failure }
    }
}
