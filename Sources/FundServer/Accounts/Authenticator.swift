internal import Crypto
internal import Foundation
package import FundCore

/// Says who somebody is. Throws `AuthenticationRefusal`, or `StoreFailure` when the store cannot say.
///
/// What was proved is remembered for a short time, each time held against the store's `accountVersion`: a user who is disabled,
/// a password that is changed or a token that is revoked, by whichever process, is refused from then on.
package final class Authenticator: Sendable {
    let store: any AccountStore
    let settings: AccountSettings
    let now: @Sendable () -> Int64
    let seal: TokenSeal
    let cache = CredentialCache()
    let refusals = RefusalCounts()
    let passwords: PasswordCheck
    private let throttle: LoginThrottle

    /// `now` gives seconds since 1970.
    package init(
        store: any AccountStore, settings: AccountSettings = AccountSettings(), now: @escaping @Sendable () -> Int64
    ) throws {
        let key = try store.serverKey()
        self.store = store
        self.settings = settings
        self.now = now
        seal = TokenSeal(serverKey: key)
        throttle = LoginThrottle(store: store, backOff: settings.backOff, serverKey: key)
        passwords = PasswordCheck(store: store, settings: settings)
    }

    /// How many passwords were hashed so far.
    package var hashCount: Int { passwords.hashCount }

    /// The owner of a token of the web API (RFC 6750 §2.1).
    package func user(bearing characters: String) async throws -> SignedIn {
        try await user(of: .web, digest: TokenText.digest(characters))
    }

    /// For programs that send name and password with every request (RFC 7617): the name is any registered address, the password
    /// an app password or the user's own.
    package func user(named name: String, password: String, from address: ClientAddress) async throws -> SignedIn {
        let key = cache.key(name: name, password: password)
        if let known = try await recentUser(key, name: name) { return known }
        if let signedIn = try await user(named: name, appPassword: password, key) { return signedIn }
        return try await cache.once(key) {
            if let known = try await recentUser(key, name: name) { return known }
            let version = try await store.accountVersion()
            var proof = try await provedAgain(key, password, name: name, from: address)
            if proof == nil { proof = try await prove(password, name: name, from: address) }
            guard let proof else { throw AuthenticationRefusal.wrongCredentials }
            let signedIn = SignedIn(user: proof.user)
            cache[provedPassword: key] = CredentialCache.ProvedPassword(
                signedIn: signedIn, hash: proof.hash, provedAt: now(), version: version)
            return signedIn
        }
    }

    /// Throws when the user has been disabled since they were known.
    func requireEnabled(_ user: User.ID) async throws {
        guard let account = try await store.account(user), !account.user.isDisabled else {
            throw AuthenticationRefusal.wrongCredentials
        }
    }

    /// One hash whatever the name, unless the place has to wait: then none.
    func prove(_ typed: String, name: String, from address: ClientAddress) async throws -> PasswordCheck.Proof {
        let name = LoginName.normal(name)
        return try await refusals.counting(.password) {
            let proof = try await throttle.run(at: throttle.place(name: name, from: address), now: now()) {
                // Not before: who has to wait must not make us work on what they typed.
                try await passwords.check(Password(typed), of: name, from: address)
            }
            guard let proof else { throw AuthenticationRefusal.wrongCredentials }
            return proof
        }
    }

    /// Proved within the last minutes, and nothing changed since that matters.
    private func recentUser(_ key: CredentialCache.Key, name: String) async throws -> SignedIn? {
        guard var known = cache[provedPassword: key] else { return nil }
        let version = try await store.accountVersion()
        let age = now() - known.provedAt
        guard age >= 0, age < settings.credentialLifetime.components.seconds else { return nil }
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

    /// What was right before is no guess: a program with the right password goes on working while another one at the same place
    /// tries a password of last year.
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

    /// Never judged by the back-off, and costs no hash: nobody guesses 120 bits. Nil when it is none of this user's; throws
    /// `wrongCredentials` when it was one, so that a program that does not know keeps nobody else waiting.
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
