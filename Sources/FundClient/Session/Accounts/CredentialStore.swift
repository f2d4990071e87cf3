/// Keeps credentials where other programs cannot read them: a key store of the platform, or `CredentialFile`.
public protocol CredentialStore: Sendable {
    /// Nil when the account is signed out.
    func credentials(of account: Account) async throws(ClientError) -> Credentials?

    /// Keeps them in place of those that were there. They are durable when it returns.
    func save(_ credentials: Credentials, of account: Account) async throws(ClientError)

    /// Does nothing when there are none.
    func remove(_ account: Account) async throws(ClientError)
}
