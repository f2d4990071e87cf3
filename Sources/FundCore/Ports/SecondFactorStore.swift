/// The part of the store with passkeys, authenticator apps and recovery codes. Errors are `StoreError`.
///
/// Methods that take a `FactorSession` throw `conflict` when that session has ended.
package protocol SecondFactorStore: Sendable {
    /// The second factors of a user, and how many recovery codes are left.
    func secondFactors(of user: User.ID) async throws -> SecondFactors
    /// Addresses of the users whom a rule concerns and who have neither a passkey nor an authenticator app, without
    /// those who are disabled.
    func usersLackingSecondFactor(by rule: SecondFactorRule) async throws -> [String]

    /// Passkeys of a user, the oldest first.
    func passkeys(of user: User.ID) async throws -> [Passkey]
    /// The passkey with this id of its device, and its owner, disabled or not; nil when there is none.
    func passkey(credential: [UInt8]) async throws -> (passkey: Passkey, user: User)?
    /// Adds a passkey. The first second factor of a user ends all their sessions but this one, which a password alone
    /// had opened; app passwords stay. Throws `alreadyExists` for a known one, `invalid` for one too many.
    /// - Parameter codes: digests of new recovery codes, which are kept when the user has none.
    /// - Returns: whether they were kept.
    func addPasskey(_ passkey: NewPasskey, codes: [ContentDigest], in session: FactorSession) async throws -> Bool
    /// False when the user has no such passkey.
    func renamePasskey(_ passkey: Passkey.ID, to name: String, in session: FactorSession) async throws -> Bool
    /// Removes a passkey; recovery codes go with the last factor. Throws `invalid` for the last factor of a user who
    /// must have one.
    /// - Returns: false when the user has no such passkey.
    func removePasskey(
        _ passkey: Passkey.ID, in session: FactorSession, rule: SecondFactorRule
    ) async throws -> Bool
    /// Notes the use of a passkey. False, with an entry of the audit trail, when its counter is not above the last one
    /// and either is other than 0: two devices have the key then. False as well when it was removed meanwhile.
    func usePasskey(_ passkey: Passkey.ID, counter: Int64, at now: Timestamp) async throws -> Bool

    /// The authenticator app of a user; nil when there is none.
    func codeApp(of user: User.ID) async throws -> CodeApp?
    /// Sets the authenticator app of a user, in place of another one. Sessions, errors and codes: see
    /// `addPasskey`.
    func setCodeApp(_ app: CodeApp, codes: [ContentDigest], in session: FactorSession) async throws -> Bool
    /// Removes the authenticator app, see `removePasskey`.
    func removeCodeApp(in session: FactorSession, rule: SecondFactorRule) async throws -> Bool
    /// Takes the code of a time step, once. False when that one or a later one was taken before, but for one so much
    /// later that a wrong clock took it.
    func spendStep(_ step: Int64, of user: User.ID) async throws -> Bool

    /// Puts new recovery codes in the place of all former ones. Throws `conflict` for a user without a second factor.
    func setRecoveryCodes(_ digests: [ContentDigest], in session: FactorSession) async throws
    /// Takes a recovery code, once. False for one that is unknown or used.
    func spendRecoveryCode(_ digest: ContentDigest, of user: User.ID, at now: Timestamp) async throws -> Bool

    /// Takes all second factors away from a user who lost theirs, ends their sessions, and keeps a notice for them.
    /// Throws `conflict` when `actor` is no administrator, or is that user.
    /// - Returns: false when there were none.
    func removeSecondFactors(of user: User.ID, at now: Timestamp, actor: String) async throws -> Bool
    /// The notice that `removeSecondFactors` left; it is given once.
    func takeRemovalNotice(of user: User.ID) async throws -> Bool
}
