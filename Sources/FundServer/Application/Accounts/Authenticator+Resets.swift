internal import FundHTTP
internal import FundCore

/// Links with which a person sets their password without the old one, made by an administrator.
extension Authenticator {
    /// From the administrator to the person by mail or by word of mouth: a working day on another continent.
    static let resetLifetime = Duration.seconds(86400)

    /// A new link for the user, in place of an earlier one: its characters, which are not kept. Throws the errors of
    /// `AccountStore.addPasswordReset`.
    func makePasswordReset(for user: User.ID, actor: String) async throws -> (characters: String, expiresAt: Timestamp)
    {
        let (characters, expiry) = (TokenText.make(), now() + Self.resetLifetime)
        try await store.addPasswordReset(TokenText.digest(characters), of: user, until: expiry, actor: actor)
        return (characters, expiry)
    }

    /// Whose password the link sets; nil when it is not good, or not any more.
    func user(resetBy characters: String) async throws -> User? {
        try await store.passwordReset(TokenText.digest(characters), at: now())
    }

    /// Sets the password and ends all sessions of the user; nil as above. The caller has asked `Password.problem`.
    func setPassword(
        _ text: String, resetBy characters: String, from address: ClientAddress
    ) async throws -> User? {
        // Only for a good link: a hash is work.
        guard try await user(resetBy: characters) != nil else { return nil }
        let hash = try await passwords.hash(Password(text), from: address)
        return try await store.usePasswordReset(TokenText.digest(characters), hash: hash, at: now())
    }
}
