internal import FundHTTP
internal import FundCore

/// Second factors.
extension Authenticator {
    /// The people who must have a second factor.
    var factorRule: SecondFactorRule { settings.secondFactors() }

    /// Whether a second factor is asked of this user who has none.
    func lacksSecondFactor(_ user: User, hasSecondFactor: Bool) -> Bool {
        !hasSecondFactor && factorRule.concerns(user)
    }

    /// Throws unless the password alone opens what programs ask for.
    func requirePasswordAlone(_ user: User, _ factors: SecondFactors) throws {
        if factors.areAsked { throw AuthenticationError.secondFactorAsked }
        if lacksSecondFactor(user, hasSecondFactor: factors.isSetUp) { throw AuthenticationError.secondFactorMissing }
    }

    // MARK: Codes

    /// Checks a code of an authenticator app or a recovery code of a user whose password was right. Wrong ones count
    /// for themselves: neither a right password nor another user's code clears them. Throws `wrongCode`,
    /// `tooManyFailures` or `busy`.
    func proveCode(_ typed: String, of user: User, from address: ClientAddress) async throws {
        try await refusals.counting(.code) { try await checkCode(typed, of: user, from: address) }
    }

    private func checkCode(_ typed: String, of user: User, from address: ClientAddress) async throws {
        let place = codeThrottle.place(name: "\(user.id)", from: address)
        let proof: Bool? = try await codeThrottle.run(at: place, now: now(), isKnown: false) { _ in
            try await isRight(typed, of: user) ? true : nil
        }
        guard proof == nil else { return }
        try await store.audit(actor: user.email, action: .factorRefuse, subject: user.email, detail: "code")
        throw AuthenticationError.wrongCode
    }

    private func isRight(_ typed: String, of user: User) async throws -> Bool {
        if let digits = TimeCode.digits(typed) {
            guard let app = try await store.codeApp(of: user.id), let code = codeApps.open(app.sealed, of: user.id),
                let step = code.step(of: digits, at: now())
            else { return false }
            return try await store.spendStep(step, of: user.id)
        }
        guard let digest = RecoveryCode.digest(typed, of: user.id) else { return false }
        return try await store.spendRecoveryCode(digest, of: user.id, at: now())
    }

    // MARK: Signing in

    /// Begins the session of a person who gave a code behind the password. Throws `wrongCredentials` when the password
    /// was changed meanwhile, or the user disabled, and as `proveCode`.
    func logIn(
        _ kind: TokenKind, _ pending: PendingLogin, code: String, from address: ClientAddress, label: String
    ) async throws -> (user: User, token: IssuedToken) {
        let user = try await user(of: pending)
        try await proveCode(code, of: user, from: address)
        let token = try await issueToken(kind, for: user, label: label)
        // A password that was set since ended all tokens but this one.
        guard (try? await self.user(of: pending)) != nil else {
            try await store.revokeToken(token.record.id, of: user.id, actor: user.email)
            throw AuthenticationError.wrongCredentials
        }
        return (user, token)
    }

    /// The user of a login that waits for a second factor. Throws `wrongCredentials` when it has ended.
    func user(of pending: PendingLogin) async throws -> User {
        guard let account = try await store.account(pending.user), !account.user.isDisabled,
            let hash = account.passwordHash, ContentDigest.of(hash.utf8) == pending.password
        else { throw AuthenticationError.wrongCredentials }
        return account.user
    }

    /// Begins the session of a person by a passkey, which is two factors in one: the device, and what unlocks it.
    /// Throws `wrongPasskey`.
    /// - Parameter pending: the login whose second factor it is; nil for a passkey alone.
    func logIn(
        by answer: PasskeyAnswer, to site: RelyingParty, in browser: String, after pending: PendingLogin?, label: String
    ) async throws -> (user: User, token: IssuedToken) {
        let user = try await refusals.counting(.passkey) {
            try await prove(answer, for: .signIn, to: site, in: browser)
        }
        if let pending, try await self.user(of: pending).id != user.id { throw AuthenticationError.wrongPasskey }
        let token = try await issueToken(.web, for: user, label: label)
        // It may have been removed meanwhile, which ends no sessions.
        guard try await store.passkey(credential: answer.credential)?.user.id == user.id else {
            try await store.revokeToken(token.record.id, of: user.id, actor: user.email)
            throw AuthenticationError.wrongPasskey
        }
        return (user, token)
    }

    /// The owner of the passkey that signed this answer to a challenge. Throws `wrongPasskey`, whatever is wrong.
    func prove(
        _ answer: PasskeyAnswer, for act: PasskeyChallenges.Act, to site: RelyingParty, in browser: String
    ) async throws -> User {
        guard let (passkey, user) = try await store.passkey(credential: answer.credential), !user.isDisabled,
            answer.user == nil || answer.user == site.handle(of: user.id),
            let counter = try? answer.counter(by: passkey.key, to: site), let challenge = answer.challenge,
            challenges.use(challenge, for: act, in: browser, at: now()),
            try await store.usePasskey(passkey.id, counter: counter, at: now())
        else { throw AuthenticationError.wrongPasskey }
        return user
    }

    // MARK: Setting up

    /// New recovery codes of a user, and the digests that are kept of them.
    func makeRecoveryCodes(for user: User.ID) -> (codes: [String], digests: [ContentDigest]) {
        let codes = RecoveryCode.make()
        return (codes, codes.compactMap { RecoveryCode.digest($0, of: user) })
    }

    /// Keeps the passkey that a device made. Throws `WebAuthnError`, `wrongPasskey` for a challenge that is not good,
    /// and the errors of `SecondFactorStore.addPasskey`.
    /// - Returns: recovery codes, which are shown once; nil when there are some.
    func addPasskey(
        _ clientData: [UInt8], _ attestation: [UInt8], named name: String, to site: RelyingParty, in browser: String,
        _ session: FactorSession
    ) async throws -> [String]? {
        let client = try ClientData(clientData)
        try client.check(.create, by: site)
        let (key, counter) = try site.passkey(in: attestation)
        guard challenges.use(client.challenge, for: .add(session.user), in: browser, at: now()) else {
            throw AuthenticationError.wrongPasskey
        }
        let (codes, digests) = makeRecoveryCodes(for: session.user)
        let areNew = try await store.addPasskey(
            NewPasskey(key: key, counter: counter, name: name), codes: digests, in: session)
        return areNew ? codes : nil
    }

    /// Keeps the authenticator app whose first code was typed. Throws `wrongCode`.
    /// - Returns: as `addPasskey`.
    func setCodeApp(_ code: TimeCode, typed: String, _ session: FactorSession) async throws -> [String]? {
        guard let digits = TimeCode.digits(typed), let step = code.step(of: digits, at: now()) else {
            throw AuthenticationError.wrongCode
        }
        let (codes, digests) = makeRecoveryCodes(for: session.user)
        let app = CodeApp(sealed: try codeApps.seal(code, of: session.user), lastStep: step, createdAt: now())
        return try await store.setCodeApp(app, codes: digests, in: session) ? codes : nil
    }
}
