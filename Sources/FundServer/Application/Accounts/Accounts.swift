package import FundCore

/// Changes to the credentials of users, from the command line or the server.
package struct Accounts: Sendable {
    let store: any AccountStore
    let scrypt: ScryptParameters

    /// - Parameter scrypt: cost of new password hashes.
    package init(store: any AccountStore, scrypt: ScryptParameters = .standard) {
        self.store = store
        self.scrypt = scrypt
    }

    /// Ends all tokens of the user. Blocks while the password is hashed.
    package func setPassword(_ text: String, of user: User, actor: String) async throws {
        let hash = try PasswordHash(of: Password(text), parameters: scrypt).text
        try await store.setPasswordHash(hash, of: user.id, actor: actor)
    }

    /// Adds a password for one program, shown once: only its hash is kept. Throws `conflict` when `grant` has ended.
    package func addAppPassword(
        _ label: String, reach: TokenReach, for user: User, at now: Timestamp, actor: String,
        grantedBy grant: TokenRecord.ID? = nil
    ) async throws -> IssuedToken {
        let characters = TokenText.makeAppPassword()
        var token = NewToken(
            user: user.id, kind: .app, label: label, reach: reach, digest: TokenText.digest(characters),
            createdAt: now)
        token.grantedBy = grant
        let record = try await store.addToken(token)
        let kind = reach == .files ? "app" : "app \(reach.rawValue)"
        try await store.audit(actor: actor, action: .tokenAdd, subject: user.email, detail: "\(kind): \(label)")
        return IssuedToken(characters: characters, record: record)
    }
}
