/// The part of the store with passwords, tokens and logins. Errors are `StoreError`.
package protocol AccountStore: SecondFactorStore {
    /// The user whom any of their registered addresses names, disabled ones included; nil when there is none.
    func account(named address: String) async throws -> Account?
    func account(_ user: User.ID) async throws -> Account?
    /// Nil takes the password away. All tokens of the user are revoked with it.
    func setPasswordHash(_ hash: String?, of user: User.ID, actor: String) async throws
    /// The user's own wish about letters on what becomes of their mail. Throws `notFound`.
    func setReceipts(_ setting: ReceiptSetting, of user: User.ID, actor: String) async throws
    /// The user's own wish about digests. Throws `notFound`, and `invalid` for the digest of the desk to who is no
    /// administrator.
    func setDigests(_ change: DigestChange, of user: User.ID, actor: String) async throws
    /// Another password, by the user themselves. All their tokens but `token` are revoked with it. False when `old` is
    /// no longer the user's hash: then nothing is changed.
    func changePasswordHash(
        _ old: String, to new: String, of user: User.ID, keeping token: TokenRecord.ID
    ) async throws -> Bool
    /// A stronger hash of the same password. False when `old` is no longer the user's hash: then nothing is changed.
    func replacePasswordHash(_ old: String, with new: String, of user: User.ID) async throws -> Bool

    /// Lets the holder of some characters, of which only the digest is kept, set the user's password once. It takes the
    /// place of an earlier one; another password, and disabling the user, end it. Throws `notFound`, and `conflict`
    /// when the user is disabled or `actor` is no administrator.
    func addPasswordReset(
        _ digest: ContentDigest, of user: User.ID, until expiry: Timestamp, actor: String
    ) async throws
    /// The user whose password the characters with this digest set; nil when they are not good, or not any more.
    func passwordReset(_ digest: ContentDigest, at now: Timestamp) async throws -> User?
    /// Sets the password, and ends the link and all tokens of the user. Nil as in `passwordReset`: then nothing is
    /// changed.
    /// - Parameter hash: of the new password, as `PasswordHash` writes it.
    func usePasswordReset(_ digest: ContentDigest, hash: String, at now: Timestamp) async throws -> User?

    /// Throws `conflict` when the token that it is granted by has ended, or the owner of that one is disabled.
    func addToken(_ token: NewToken) async throws -> TokenRecord
    /// The token with this digest and its owner, whatever their state; nil when there is none.
    /// - Returns: also whether the owner has a passkey or an authenticator app.
    func token(
        _ digest: ContentDigest
    ) async throws -> (record: TokenRecord, user: User, hasSecondFactor: Bool)?
    /// Mobile tokens of a user, expired ones included (so that the answer can say so), revoked ones not; at most
    /// `limit`, those that are good for longest first.
    func sealedTokens(of user: User.ID, limit: Int) async throws -> [SealedToken]
    /// Tokens of one user, or of all; newest first.
    func tokens(of user: User.ID?) async throws -> [TokenRecord]
    /// Tokens of a user that are not revoked, newest first.
    func tokens(of user: User.ID, _ page: PageQuery) async throws -> ListPage<TokenRecord>
    /// Notes that it was used and until when it is good now.
    func noteUse(of token: TokenRecord.ID, at time: Timestamp, expiresAt: Timestamp?) async throws
    /// False when the user has no such token that is live.
    @discardableResult
    func revokeToken(_ token: TokenRecord.ID, of user: User.ID, actor: String) async throws -> Bool
    /// All of these kinds at once, but the one to keep. Gives how many ended.
    @discardableResult
    func revokeTokens(
        _ kinds: Set<TokenKind>, of user: User.ID, keeping token: TokenRecord.ID?, actor: String
    ) async throws -> Int

    /// False when `nonce` was spent before by this user, or may have been. It is remembered until `time` at least, over
    /// restarts.
    ///
    /// - Parameter signed: when the call was signed, by its client's clock.
    func spendNonce(
        _ nonce: String, of user: User.ID, signed: Timestamp, at now: Timestamp, until time: Timestamp
    ) async throws -> Bool

    /// Over restarts; what is older than `LoginHistory` says does not count and is forgotten.
    func loginHistory(of place: LoginPlace, at now: Timestamp) async throws -> LoginHistory
    /// A success clears the failures of the place.
    func noteLogin(from place: LoginPlace, succeeded: Bool, at time: Timestamp) async throws

    /// Grows with every change, made by any process, that an earlier answer of this protocol depends on: users,
    /// addresses, passwords, tokens made or revoked, second factors; not with the mere use of a token. Cheap to ask for
    /// every request; what another process changes shows within 50 ms.
    func accountVersion() async throws -> Int64

    /// 32 bytes that only this store has, made at first use and kept in a file of its own beside the database, 0600.
    func serverKey() throws -> [UInt8]
    /// Writes into the audit trail.
    func audit(actor: String, action: AuditAction, subject: String, detail: String) async throws
}
