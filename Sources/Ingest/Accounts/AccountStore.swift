/// The part of the store that knows who may come in. All times are seconds since 1970. Errors are `StoreFailure`.
package protocol AccountStore: Sendable {
    /// The user whom any of their registered addresses names, disabled ones included; nil when there is none.
    func account(named address: String) async throws -> Account?
    func account(_ user: User.ID) async throws -> Account?
    /// Nil takes the password away. All tokens of the user are revoked with it, unless `keepingTokens`: a stronger hash of the
    /// same password.
    func setPasswordHash(_ hash: String?, of user: User.ID, keepingTokens: Bool, actor: String) async throws

    func addToken(_ token: NewToken) async throws -> TokenRecord
    /// The token with this digest and its owner, whatever their state; nil when there is none.
    func token(_ digest: ContentDigest) async throws -> (record: TokenRecord, user: User)?
    /// The latest mobile tokens of a user, expired ones included (so that one can say so), revoked ones not; at most `limit`.
    func sealedTokens(of user: User.ID, limit: Int) async throws -> [SealedToken]
    /// Of one user, or of all; newest first.
    func tokens(of user: User.ID?) async throws -> [TokenRecord]
    /// Notes that it was used and until when it is good now.
    func noteUse(of token: TokenRecord.ID, at time: Int64, expiresAt: Int64?) async throws
    /// False when the user has no such token that is live.
    @discardableResult
    func revokeToken(_ token: TokenRecord.ID, of user: User.ID, actor: String) async throws -> Bool

    /// False when `nonce` was spent before by this user. It is remembered until `time`, over restarts.
    func spendNonce(_ nonce: String, of user: User.ID, until time: Int64) async throws -> Bool

    /// Failed logins by subject (`account:7`, `address:192.0.2.1`), over restarts.
    func loginFailures(of subjects: [String]) async throws -> [String: LoginFailures]
    func noteLoginFailure(of subjects: [String], at time: Int64) async throws
    func forgetLoginFailures(of subjects: [String]) async throws

    /// 32 bytes that only this store has, made at first use and kept in a file of its own beside the database, 0600.
    func serverKey() throws -> [UInt8]
    /// Writes into the audit trail.
    func audit(actor: String, action: String, subject: String, detail: String) async throws
}

/// Failures in a row.
package struct LoginFailures: Sendable, Hashable {
    package var count: Int
    /// Seconds since 1970.
    package var lastAt: Int64

    package init(count: Int, lastAt: Int64) {
        self.count = count
        self.lastAt = lastAt
    }
}
