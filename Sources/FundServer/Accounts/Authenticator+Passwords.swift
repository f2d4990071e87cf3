package import FundCore

extension Authenticator {
    /// Gives a token for the user's own password.
    package func logIn(
        _ kind: TokenKind, name: String, password: String, from address: ClientAddress, label: String
    ) async throws -> (user: User, token: IssuedToken) {
        while true {
            let proof = try await prove(password, name: name, from: address)
            let token = try await issueToken(kind, for: proof.user, label: label)
            // A new password ends all tokens. One that was set since this one was looked at found no token of this login, so that
            // it must end here. When it is the same password with a stronger hash, the second look says so.
            if try await store.account(proof.user.id)?.passwordHash == proof.hash { return (proof.user, token) }
            try await store.revokeToken(token.record.id, of: proof.user.id, actor: proof.user.email)
        }
    }

    /// By the user themselves. Everything else that they are signed in with ends, app passwords too; only `token` stays. Throws
    /// `wrongCredentials` when `current` is not their password, and counts that like a failed login: whoever finds a browser
    /// left open must not guess there either. Whether `new` may be a password was looked at before.
    package func changePassword(
        of user: User, from current: String, to new: String, keeping token: TokenRecord.ID, at address: ClientAddress
    ) async throws {
        let proof = try await prove(current, name: user.email, from: address)
        guard proof.user.id == user.id else { throw AuthenticationRefusal.wrongCredentials }
        let hash = try await passwords.hash(Password(new), from: address)
        let isChanged = try await store.changePasswordHash(proof.hash, to: hash, of: user.id, keeping: token)
        guard isChanged else { throw AuthenticationRefusal.wrongCredentials }
    }
}
