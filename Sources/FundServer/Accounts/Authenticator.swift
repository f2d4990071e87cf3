internal import Crypto
internal import Foundation
package import FundCore

/// Authenticates users. Throws `AuthenticationError`, or the error of the store.
///
/// What was verified is kept for a short time, and compared with the store's `accountVersion` each time: after a user
/// is disabled, a password is changed or a token is revoked, by any process, their next request is refused.
package final class Authenticator: Sendable {
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

    /// - Parameter now: the current time.
    package init(
        store: any AccountStore, settings: AccountSettings = AccountSettings(), now: @escaping @Sendable () -> Timestamp
    ) throws {
        let key = try store.serverKey()
        self.store = store
        self.settings = settings
        self.now = now
        seal = TokenSeal(serverKey: key)
        throttle = LoginThrottle(store: store, backOff: settings.backOff, serverKey: key)
        passwords = PasswordCheck(store: store, settings: settings)
    }

    /// Passwords hashed so far.
    package var hashCount: Int { passwords.hashCount }

    /// The owner of a token of the web API (RFC 6750 §2.1).
    package func user(bearing characters: String) async throws -> SignedIn {
        try await user(of: .web, digest: TokenText.digest(characters))
    }

    /// For programs that send name and password with every request (RFC 7617). The name is any registered address, the
    /// password an app password or the user's own.
    package func user(named name: String, password: String, from address: ClientAddress) async throws -> SignedIn {
        let key = cache.key(name: name, password: password)
        if let known = try await recentUser(key, name: name) { return known }
        if let signedIn = try await user(named: name, appPassword: password, key) { return signedIn }
        return try await proofs.run(key) { [self] in
            if let known = try await recentUser(key, name: name) { return known }
            let version = try await store.accountVersion()
            var proof = try await provedAgain(key, password, name: name, from: address)
            if proof == nil { proof = try await prove(password, name: name, from: address) }
            guard let proof else { throw AuthenticationError.wrongCredentials }
            let signedIn = SignedIn(user: proof.user)
            cache[provedPassword: key] = CredentialCache.ProvedPassword(
                signedIn: signedIn, hash: proof.hash, provedAt: now(), version: version)
            return signedIn
        }
    }

    /// Throws when the user is disabled or gone.
    func requireEnabled(_ user: User.ID) async throws {
        guard let account = try await store.account(user), !account.user.isDisabled else {
            throw AuthenticationError.wrongCredentials
        }
    }

    /// Computes one hash for every name, known or not; none when the back-off applies.
    func prove(_ typed: String, name: String, from address: ClientAddress) async throws -> PasswordCheck.Proof {
        let name = LoginName.normal(name)
        return try await refusals.counting(.password) {
            let proof = try await throttle.run(at: throttle.place(name: name, from: address), now: now()) {
                // After the back-off: a client that has to wait must not cause work on what it sent.
                try await passwords.check(Password(typed), of: name, from: address)
            }
            guard let proof else { throw AuthenticationError.wrongCredentials }
            return proof
        }
    }

    /// The user, if they were verified within `credentialLifetime` and their account did not change since.
    private func recentUser(_ key: CredentialCache.Key, name: String) async throws -> SignedIn? {
        guard var known = cache[provedPassword: key] else { return nil }
        let version = try await store.accountVersion()
        let age = now() - known.provedAt
        guard age >= .zero, age < settings.credentialLifetime else { return nil }
        if known.version == version { return known.signedIn }
        let account = try await store.account(named: LoginName.normal(name))
        guard let account, account.user.id == known.signedIn.user.id, !account.user.isDisabled,
            account.passwordHash == known.hash
        else {
            cache[provedPassword: key] = nil
            return nil
        }
        known.signedIn.user = account.user
        known.version = version
        cache[provedPassword: key] = known
        return known.signedIn
    }

    /// Checks credentials that were right before, without the back-off: a program with the right password goes on
    /// working while another program at the same address tries an old one.
    private func provedAgain(
        _ key: CredentialCache.Key, _ typed: String, name: String, from address: ClientAddress
    ) async throws -> PasswordCheck.Proof? {
        guard let known = cache[provedPassword: key] else { return nil }
        let name = LoginName.normal(name)
        let account = try await store.account(named: name)
        if account?.user.id == known.signedIn.user.id, account?.passwordHash == known.hash,
            let proof = try await passwords.check(Password(typed), of: name, from: address)
        {
            return proof
        }
        cache[provedPassword: key] = nil
        return nil
    }

    /// Without back-off and without a hash: an app password has 120 random bits. Nil when this is no app password of
    /// this user. Throws `wrongCredentials` when it was one and has ended, so that a program that still uses it does
    /// not count as failed logins.
    private func user(
        named name: String, appPassword typed: String, _ key: CredentialCache.Key
    ) async throws -> SignedIn? {
        guard let characters = TokenText.appPassword(typed) else { return nil }
        let version = try await store.accountVersion()
        if let known = cache[appPassword: key], known.version == version {
            return try await user(of: .app, digest: known.digest)
        }
        let digest = TokenText.digest(characters)
        guard let owner = try await store.token(digest)?.user.id,
            try await store.account(named: LoginName.normal(name))?.user.id == owner
        else { return nil }
        cache[appPassword: key] = CredentialCache.AppPassword(digest: digest, version: version)
        return try await user(of: .app, digest: digest)
    }
}

/// An authenticated user.
package struct SignedIn: Sendable, Hashable {
    package var user: User
    /// The token that authenticated them; nil when it was the password.
    package var token: TokenRecord?

    package init(user: User, token: TokenRecord? = nil) {
        self.user = user
        self.token = token
    }
}
