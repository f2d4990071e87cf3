internal import HTTPTypes

/// How far an app password reaches.
public enum AppPasswordReach: String, Sendable, Codable {
    /// Funds, folders and files, which it may change. No mail, and no notes.
    case files
    /// The whole library, mail and notes among it, for reading alone.
    case read
}

extension Session {
    /// Begins with an app password in the place of a login. Nothing is kept, and nothing has to be ended: the password
    /// is good until its owner takes it back.
    ///
    /// Throws `wrongPassword` for one that is not taken (any more) or is no app password, `forbidden` for a server
    /// that is neither this machine nor speaks https, to which none is sent.
    /// - Returns: the session, and the reach of the password.
    public static func open(
        appPassword: String, on server: ServerAddress, transport: any HTTPTransport,
        retries: RetryPolicy = RetryPolicy()
    ) async throws(ClientError) -> (session: Session, reach: AppPasswordReach) {
        guard server.isEncrypted || server.isLoopback else {
            throw ClientError(.forbidden, "a password is sent only over https")
        }
        // It becomes the value of a header field: no other characters stand in an app password.
        guard !appPassword.isEmpty, appPassword.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw notTaken
        }
        let credential = Credentials(
            web: Credentials.Token(appPassword.filter { $0 != " " }, expiresAt: nil), mobile: nil)
        let state: SessionState
        do {
            let unnamed = Session(
                account: Account(server: server, email: "", user: UserID(0)), credentials: OneCredential(credential),
                transport: transport, retries: retries)
            state = try await unnamed.state()
        } catch {
            guard error.code == .unauthenticated else { throw error }
            throw notTaken
        }
        guard let reach = state.reach else { throw notTaken }
        let account = Account(server: server, email: state.user.email, user: state.user.id)
        let session = Session(
            account: account, credentials: OneCredential(credential), transport: transport, retries: retries)
        return (session, reach)
    }

    private static var notTaken: ClientError {
        ClientError(.wrongPassword, "it is no app password that the server takes")
    }
}

/// An app password in memory, which is whose it is.
private struct OneCredential: CredentialStore {
    private let value: Credentials

    init(_ value: Credentials) { self.value = value }

    func credentials(of account: Account) async throws(ClientError) -> Credentials? { value }
    func save(_ credentials: Credentials, of account: Account) async throws(ClientError) {}
    func remove(_ account: Account) async throws(ClientError) {}
}
