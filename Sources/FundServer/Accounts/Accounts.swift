package import FundCore

/// What administrators and users change about how somebody signs in, from the command line or the server.
package struct Accounts: Sendable {
    private let store: any AccountStore
    private let scrypt: ScryptParameters

    package init(store: any AccountStore, scrypt: ScryptParameters = .standard) {
        self.store = store
        self.scrypt = scrypt
    }

    /// All tokens of the user end with it. Blocks for the time of a hash.
    package func setPassword(_ text: String, of user: User, actor: String) async throws {
        let hash = try PasswordHash(of: Password(text), parameters: scrypt).text
        try await store.setPasswordHash(hash, of: user.id, actor: actor)
    }

    /// A password for one program. Shown once; only its hash is kept. Throws `conflict` when `grant` has ended.
    package func addAppPassword(
        _ label: String, for user: User, at now: Int64, actor: String, grantedBy grant: TokenRecord.ID? = nil
    ) async throws -> IssuedToken {
        let characters = TokenText.makeAppPassword()
        var token = NewToken(
            user: user.id, kind: .app, label: label, digest: TokenText.digest(characters), createdAt: now)
        token.grantedBy = grant
        let record = try await store.addToken(token)
        try await store.audit(actor: actor, action: "token.add", subject: user.email, detail: "app: \(label)")
        return IssuedToken(characters: characters, record: record)
    }
}
