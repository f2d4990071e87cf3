internal import FundHTTP
internal import FundCore
internal import Synchronization

/// Authenticates users. Throws `AuthenticationError`, or the error of the store.
///
/// What was verified is kept for a short time, and compared with the store's `accountVersion` each time: after a user
/// is disabled, a password is changed or a token is revoked, by any process, their next request is refused.
final class Authenticator: Sendable {
    let store: any AccountStore
    let settings: AccountSettings
    let now: @Sendable () -> Timestamp
    let seal: TokenSeal
    let cache = CredentialCache()
    /// Checks each name and password once for all requests that send them at the same time.
    private let proofs = SingleFlight<CredentialCache.Key, SignedIn>()
    let refusals = RefusalCounts()
    let passwords: PasswordCheck
    private let throttle: LoginThrottle
    let codeThrottle: LoginThrottle
    let codeApps: CodeAppSeal
    let challenges = PasskeyChallenges()
    let pendingLogins = PendingLoginSeal()
    let freshProofs = FreshProofs()

    /// - Parameter now: the current time.
    init(
        store: any AccountStore, settings: AccountSettings = AccountSettings(), now: @escaping @Sendable () -> Timestamp
    ) throws {
        let key = try store.serverKey()
        self.store = store
        self.settings = settings
        self.now = now
        seal = TokenSeal(serverKey: key)
        throttle = LoginThrottle(store: store, backOff: settings.backOff, serverKey: key)
        codeThrottle = LoginThrottle(
            store: store, backOff: settings.codeBackOff, serverKey: key, kind: "second factors")
        codeApps = CodeAppSeal(serverKey: key)
        passwords = PasswordCheck(store: store, settings: settings)
    }

    /// Passwords hashed so far.
    var hashCount: Int { passwords.hashCount }

    /// The owner of a token of the web API (RFC 6750 §2.1).
    func user(bearing characters: String) async throws -> SignedIn {
        try await user(of: .web, digest: TokenText.digest(characters))
    }

    /// The owner of an app password that stands alone, without a name: its 120 random bits name them, and cannot be
    /// guessed.
    /// - Parameter characters: as `TokenText.appPassword` normalises them.
    func user(bearingAppPassword characters: String) async throws -> SignedIn {
        try await user(of: .app, digest: TokenText.digest(characters))
    }

    /// For programs that send name and password with every request (RFC 7617). The name is any registered address, the
    /// password an app password, or the user's own where no second factor is asked for. Throws `secondFactorAsked` or
    /// `secondFactorMissing` where one is.
    func user(named name: String, password: String, from address: ClientAddress) async throws -> SignedIn {
        let key = cache.key(name: name, password: password)
        if let known = try await recentUser(key, name: name) { return known }
        if let signedIn = try await user(named: name, appPassword: password, key) { return signedIn }
        return try await proofs.run(key) { [self] in
            if let known = try await recentUser(key, name: name) { return known }
            let version = try await store.accountVersion()
            var proof = try await provedAgain(key, password, name: name, from: address)
            if proof == nil { proof = try await prove(password, name: name, from: address) }
            guard let proof else { throw AuthenticationError.wrongCredentials }
            let proved = CredentialCache.ProvedPassword(
                signedIn: SignedIn(user: proof.user), hash: proof.hash, factors: proof.factors, provedAt: now(),
                version: version)
            cache.tables.withLock { $0.provedPasswords[key] = proved }
            return try await admit(proved)
        }
    }

    /// Computes one hash for every name, known or not; none when the back-off applies.
    /// - Parameter device: whose session the device had; nil when it had none.
    func prove(
        _ typed: String, name: String, from address: ClientAddress, device: User.ID? = nil
    ) async throws -> PasswordCheck.Proof {
        let name = LoginName.normal(name)
        var isKnown = false
        if let device { isKnown = try await store.account(named: name)?.user.id == device }
        return try await refusals.counting(.password) {
            let place = throttle.place(name: name, from: address)
            let proof = try await throttle.run(at: place, now: now(), isKnown: isKnown) { isKnown in
                // After the back-off: a client that has to wait must not cause work on what it sent.
                try await passwords.check(Password(typed), of: name, from: address, isKnown: isKnown)
            }
            guard let proof else { throw AuthenticationError.wrongCredentials }
            return proof
        }
    }

    /// The user, if they were verified within `credentialLifetime` and their account did not change since.
    private func recentUser(_ key: CredentialCache.Key, name: String) async throws -> SignedIn? {
        guard var known = cache.tables.withLock({ $0.provedPasswords[key] }) else { return nil }
        let version = try await store.accountVersion()
        let age = now() - known.provedAt
        guard age >= .zero, age < settings.credentialLifetime else { return nil }
        if known.version == version { return try await admit(known) }
        let account = try await store.account(named: LoginName.normal(name))
        guard let account, account.user.id == known.signedIn.user.id, !account.user.isDisabled,
            account.passwordHash == known.hash
        else {
            cache.tables.withLock { $0.provedPasswords[key] = nil }
            return nil
        }
        known.signedIn.user = account.user
        known.factors = account.factors
        known.version = version
        cache.tables.withLock { [known] in $0.provedPasswords[key] = known }
        return try await admit(known)
    }

    /// Throws where a second factor is asked for: a program that sends the password again and again gets that answer
    /// without a hash.
    private func admit(_ known: CredentialCache.ProvedPassword) async throws -> SignedIn {
        try await refusals.counting(.password) { try requirePasswordAlone(known.signedIn.user, known.factors) }
        return known.signedIn
    }

    /// Checks credentials that were right before, without the back-off: a program with the right password goes on
    /// working while another program at the same address tries an old one.
    private func provedAgain(
        _ key: CredentialCache.Key, _ typed: String, name: String, from address: ClientAddress
    ) async throws -> PasswordCheck.Proof? {
        guard let known = cache.tables.withLock({ $0.provedPasswords[key] }) else { return nil }
        let name = LoginName.normal(name)
        let account = try await store.account(named: name)
        if account?.user.id == known.signedIn.user.id, account?.passwordHash == known.hash,
            let proof = try await passwords.check(Password(typed), of: name, from: address, isKnown: true)
        {
            return proof
        }
        cache.tables.withLock { $0.provedPasswords[key] = nil }
        return nil
    }

    /// Without back-off and without a hash: an app password has 120 random bits. Nil when this is no app password of
    /// this user. Throws `wrongCredentials` when it has ended: a program that still uses it does not count as failed
    /// logins.
    private func user(
        named name: String, appPassword typed: String, _ key: CredentialCache.Key
    ) async throws -> SignedIn? {
        let version = try await store.accountVersion()
        if let known = cache.tables.withLock({ $0.appPasswords[key] }), known.version == version {
            return try await user(of: .app, digest: known.digest)
        }
        guard let characters = TokenText.appPassword(typed) else { return nil }
        let digest = TokenText.digest(characters)
        guard let owner = try await store.token(digest)?.user.id,
            try await store.account(named: LoginName.normal(name))?.user.id == owner
        else { return nil }
        cache.tables.withLock { $0.appPasswords[key] = CredentialCache.AppPassword(digest: digest, version: version) }
        return try await user(of: .app, digest: digest)
    }
}

extension Authenticator {
    /// Issues a token for the user's own password. Throws `secondFactorAsked` for a user with a second factor: see
    /// `begin`.
    /// - Parameter device: see `prove`.
    func logIn(
        _ kind: TokenKind, name: String, password: String, from address: ClientAddress, device: User.ID? = nil,
        label: String
    ) async throws -> (user: User, token: IssuedToken) {
        switch try await begin(kind, name: name, password: password, from: address, device: device, label: label) {
        case .done(let user, let token): return (user, token)
        case .pending: throw AuthenticationError.secondFactorAsked
        }
    }

    /// The outcome of a right password.
    enum Login: Sendable {
        case done(user: User, token: IssuedToken)
        case pending(PendingLogin)
    }

    /// Issues a token for the user's own password, where no second factor is asked for.
    func begin(
        _ kind: TokenKind, name: String, password: String, from address: ClientAddress, device: User.ID? = nil,
        label: String
    ) async throws -> Login {
        while true {
            let proof = try await prove(password, name: name, from: address, device: device)
            if proof.factors.areAsked { return .pending(PendingLogin(proof)) }
            let token = try await issueToken(kind, for: proof.user, label: label)
            // Setting a password ends all tokens, but not this one if it was set after this login was verified: it must
            // end now. If it is the same password with a stronger hash, the next round succeeds. So does the first
            // second factor.
            let account = try await store.account(proof.user.id)
            if account?.passwordHash == proof.hash, account?.factors.areAsked == false {
                return .done(user: proof.user, token: token)
            }
            try await store.revokeToken(token.record.id, of: proof.user.id, actor: proof.user.email)
        }
    }

    /// Issues a token to a program that logs in. Throws `RequestError.wrongCredentials`; `secondFactorAsked` for a user
    /// with a second factor when it sends no code, and `secondFactorMissing` for one who must have one.
    /// - Parameters:
    ///   - code: of an authenticator app, or a recovery code.
    ///   - label: as the program names itself.
    func logIn(
        _ kind: TokenKind, name: String, password: String, code: String?, label: String, _ context: ServerContext
    ) async throws -> (user: User, token: IssuedToken) {
        let (address, label) = (ClientAddress(context.peer), TokenLabel.clean(label))
        do {
            // Programs are let in only where the pages are: before anything is issued.
            let login = try await begin(kind, name: name, password: password, from: address, label: label)
            switch login {
            case .done(let user, let token):
                guard !lacksSecondFactor(user, hasSecondFactor: false) else {
                    try await store.revokeToken(token.record.id, of: user.id, actor: user.email)
                    return try await refusals.counting(.password) { throw AuthenticationError.secondFactorMissing }
                }
                return (user, token)
            case .pending(let pending):
                guard let code else {
                    return try await refusals.counting(.password) { throw AuthenticationError.secondFactorAsked }
                }
                return try await logIn(kind, pending, code: code, from: address, label: label)
            }
        } catch AuthenticationError.wrongCredentials {
            throw RequestError.wrongCredentials
        }
    }

    /// Changes a user's own password. Ends all their other tokens, app passwords included; only `token` stays. Throws
    /// `wrongCredentials` when `current` is not their password, and counts that like a failed login, so that a session
    /// left open does not allow guessing. The caller has checked with `Password.problem` that `new` is allowed.
    func changePassword(
        of user: User, from current: String, to new: String, keeping token: TokenRecord.ID, at address: ClientAddress
    ) async throws {
        let proof = try await prove(current, name: user.email, from: address)
        guard proof.user.id == user.id else { throw AuthenticationError.wrongCredentials }
        let hash = try await passwords.hash(Password(new), from: address)
        let isChanged = try await store.changePasswordHash(proof.hash, to: hash, of: user.id, keeping: token)
        guard isChanged else { throw AuthenticationError.wrongCredentials }
    }
}

/// An authenticated user.
struct SignedIn: Sendable, Hashable {
    var user: User
    /// The token that authenticated them; nil when it was the password.
    var token: TokenRecord?
    /// Whether they must set up a second factor before anything else opens.
    var lacksSecondFactor = false

    /// The reach of the app password that authenticated them; nil when it was a session or their own password, which
    /// reach everything.
    var reach: TokenReach? { token.flatMap { $0.kind == .app ? $0.reach : nil } }
}
