package import FundCore
internal import Synchronization

/// A new token; its characters are not kept.
package struct IssuedToken: Sendable {
    package var characters: String
    package var record: TokenRecord
}

extension Authenticator {
    /// Seconds between two records of a token's use; less for tokens with a short lifetime.
    private static let useInterval = Duration.seconds(60)
    /// Tokens of one user that are tried, those that last longest first.
    private static let maxMobileTokens = 100

    /// Stores a new token of this kind for the user. Throws the error of the store.
    /// - Parameters:
    ///   - label: its name in lists, see `TokenLabel`.
    ///   - reach: of an app password.
    ///   - grant: a token that must not have ended.
    func issueToken(
        _ kind: TokenKind, for user: User, label: String, reach: TokenReach = .files,
        grantedBy grant: TokenRecord.ID? = nil
    ) async throws -> IssuedToken {
        let characters = kind == .app ? TokenText.makeAppPassword() : TokenText.make()
        let sealed = kind == .mobile ? try seal.seal(characters, of: user.id) : nil
        let now = now()
        var token = NewToken(
            user: user.id, kind: kind, label: label, reach: reach, digest: TokenText.digest(characters),
            sealed: sealed, createdAt: now, expiresAt: expiry(kind, now))
        token.grantedBy = grant
        return IssuedToken(characters: characters, record: try await store.addToken(token))
    }

    /// The owner of a token of this kind.
    func user(of kind: TokenKind, digest: ContentDigest) async throws -> SignedIn {
        try await refusals.counting(kind == .app ? .appPassword : .token) { try await owner(of: kind, digest) }
    }

    /// Whose session this is or was; nil when it is not known, or the user is disabled. It proves nothing else: the
    /// session may have ended.
    func owner(ofSession characters: String) async throws -> User.ID? {
        let found = try await store.token(TokenText.digest(characters))
        guard let found, found.record.kind == .web, !found.user.isDisabled else { return nil }
        return found.user.id
    }

    private func owner(of kind: TokenKind, _ digest: ContentDigest) async throws -> SignedIn {
        let version = try await store.accountVersion()
        var token = cache.tables.withLock { $0.tokens[digest] }
        if token?.version != version {
            let found = try await store.token(digest).map {
                CredentialCache.Token(
                    record: $0.record, user: $0.user, hasSecondFactor: $0.hasSecondFactor, version: version)
            }
            cache.tables.withLock { $0.tokens[digest] = found }
            token = found
        }
        guard let token, token.record.kind == kind, token.record.revokedAt == nil, !token.user.isDisabled else {
            throw AuthenticationError.wrongCredentials
        }
        guard isLive(token.record) else { throw AuthenticationError.expired }
        noteUse(of: token.record)
        var signedIn = SignedIn(user: token.user, token: token.record)
        signedIn.lacksSecondFactor =
            kind == .web && lacksSecondFactor(token.user, hasSecondFactor: token.hasSecondFactor)
        return signedIn
    }

    /// The user with this id, if one of their mobile tokens signed the call. A user who does not exist has no tokens; a
    /// valid signature of a disabled user counts as expired.
    func user(_ id: User.ID, signing call: SignedCall, with sign: [UInt8]) async throws -> SignedIn {
        try await refusals.counting(.sign) { try await signer(id, call, sign) }
    }

    private func signer(_ id: User.ID, _ call: SignedCall, _ sign: [UInt8]) async throws -> SignedIn {
        let mobile = try await mobileKeys(of: id)
        var token: TokenRecord?
        for (record, characters) in mobile.keys where SecureBytes.areEqual(call.sign(key: characters), sign) {
            token = record
        }
        guard let token, let user = mobile.user else { throw AuthenticationError.wrongCredentials }
        guard !user.isDisabled, isLive(token) else { throw AuthenticationError.expired }
        // A token from before the rule, or from before its owner became an administrator.
        guard !lacksSecondFactor(user, hasSecondFactor: mobile.hasSecondFactor) else {
            throw AuthenticationError.secondFactorMissing
        }
        noteUse(of: token)
        return SignedIn(user: user, token: token)
    }

    private func mobileKeys(of id: User.ID) async throws -> CredentialCache.MobileKeys {
        let version = try await store.accountVersion()
        if let keys = cache.tables.withLock({ $0.mobileKeys[id] }), keys.version == version { return keys }
        let account = try await store.account(id)
        let user = account?.user
        let sealed = user == nil ? [] : try await store.sealedTokens(of: id, limit: Self.maxMobileTokens)
        let keys = sealed.compactMap { token in
            seal.open(token.sealed, of: id, digest: token.digest).map { (record: token.record, characters: $0) }
        }
        let mobile = CredentialCache.MobileKeys(
            user: user, hasSecondFactor: account?.factors.isSetUp ?? false, keys: keys, version: version)
        cache.tables.withLock { $0.mobileKeys[id] = mobile }
        return mobile
    }

    private func isLive(_ token: TokenRecord) -> Bool {
        var token = token
        if let moved = cache.movedExpiry(of: token) { token.expiresAt = moved }
        return token.isLive(at: now())
    }

    /// Written in the background: a request must neither wait for a batch of mail nor fail because the disk is full.
    private func noteUse(of token: TokenRecord) {
        let (now, store) = (now(), store)
        let expiresAt = expiry(token.kind, now)
        let interval = expiresAt.map { min(Self.useInterval, ($0 - now) / 10) } ?? Self.useInterval
        guard cache.claimUse(of: token, at: now, expiresAt: expiresAt, interval: interval) else { return }
        Task { try? await store.noteUse(of: token.id, at: now, expiresAt: expiresAt) }
    }

    private func expiry(_ kind: TokenKind, _ now: Timestamp) -> Timestamp? {
        switch kind {
        case .mobile: now + settings.mobileLifetime
        case .web: now + settings.webLifetime
        case .app: nil
        }
    }
}
