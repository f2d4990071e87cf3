package import FundCore

extension Authenticator {
    /// Issues a token for the user's own password.
    package func logIn(
        _ kind: TokenKind, name: String, password: String, from address: ClientAddress, label: String
    ) async throws -> (user: User, token: IssuedToken) {
        while true {
            let proof = try await prove(password, name: name, from: address)
            let token = try await issueToken(kind, for: proof.user, label: label)
            // Setting a password ends all tokens. If one was set after this login was verified, the token issued here
            // was not among them and must end now. If it is the same password with a stronger hash, the next round
            // succeeds.
            if try await store.account(proof.user.id)?.passwordHash == proof.hash { return (proof.user, token) }
            try await store.revokeToken(token.record.id, of: proof.user.id, actor: proof.user.email)
        }
    }

    /// Changes a user's own password. Ends all their other tokens, app passwords included; only `token` stays. Throws
    /// `wrongCredentials` when `current` is not their password, and counts that like a failed login, so that a session
    /// left open does not allow guessing. The caller has checked with `Password.problem` that `new` is allowed.
    package func changePassword(
        of user: User, from current: String, to new: String, keeping token: TokenRecord.ID, at address: ClientAddress
    ) async throws {
        let proof = try await prove(current, name: user.email, from: address)
        guard proof.user.id == user.id else { throw AuthenticationError.wrongCredentials }
        let hash = try await passwords.hash(Password(new), from: address)
        let isChanged = try await store.changePasswordHash(proof.hash, to: hash, of: user.id, keeping: token)
        guard isChanged else { throw AuthenticationError.wrongCredentials }
    }
}
