internal import Crypto
internal import Foundation
import FundCore
internal import Synchronization

/// Credentials that were verified lately, and tokens that were looked up. In memory only and bounded. Passwords are
/// kept as keyed hashes under a key of this process.
final class CredentialCache: Sendable {
    typealias Key = ContentDigest

    struct ProvedPassword: Sendable {
        var signedIn: SignedIn
        /// The stored hash that the password matched; another hash means another password.
        var hash: String
        /// By the authenticator's clock.
        var provedAt: Timestamp
        /// The `accountVersion` at which it was verified.
        var version: Int64
    }

    /// An app password that belongs to the named user.
    struct AppPassword: Sendable {
        var digest: ContentDigest
        var version: Int64
    }

    struct Token: Sendable {
        var record: TokenRecord
        var user: User
        var version: Int64
    }

    /// A user's mobile tokens with their characters.
    struct MobileKeys: Sendable {
        /// Nil when there is no such user.
        var user: User?
        var keys: [(record: TokenRecord, characters: [UInt8])]
        var version: Int64
    }

    /// Entries of each table: some megabytes.
    private static let maxEntries = 8192

    private struct State {
        var provedPasswords = BoundedTable<Key, ProvedPassword>(maxEntries: maxEntries)
        var appPasswords = BoundedTable<Key, AppPassword>(maxEntries: maxEntries)
        var tokens = BoundedTable<ContentDigest, Token>(maxEntries: maxEntries)
        var mobileKeys = BoundedTable<User.ID, MobileKeys>(maxEntries: maxEntries)
        /// When each token's use was last written, so that it is not written for every request.
        var notedUses = BoundedTable<TokenRecord.ID, (at: Timestamp, expiresAt: Timestamp?)>(maxEntries: maxEntries)
    }

    private let key = SymmetricKey(size: .bits256)
    private let state = Mutex(State())

    func key(name: String, password: String) -> Key {
        let text = "\(LoginName.normal(name))\0\(password)"
        let code = HMAC<SHA256>.authenticationCode(for: Array(text.utf8), using: key)
        return ContentDigest(bytes: Array(code)) ?? .of(Array(code))
    }

    subscript(provedPassword key: Key) -> ProvedPassword? {
        get { state.withLock { $0.provedPasswords[key] } }
        set { state.withLock { $0.provedPasswords[key] = newValue } }
    }

    subscript(appPassword key: Key) -> AppPassword? {
        get { state.withLock { $0.appPasswords[key] } }
        set { state.withLock { $0.appPasswords[key] = newValue } }
    }

    subscript(token digest: ContentDigest) -> Token? {
        get { state.withLock { $0.tokens[digest] } }
        set { state.withLock { $0.tokens[digest] = newValue } }
    }

    subscript(mobile user: User.ID) -> MobileKeys? {
        get { state.withLock { $0.mobileKeys[user] } }
        set { state.withLock { $0.mobileKeys[user] = newValue } }
    }

    /// The expiry of the token as this process last moved it; nil when it has not.
    func movedExpiry(of token: TokenRecord.ID) -> Timestamp? { state.withLock { $0.notedUses[token]?.expiresAt } }

    /// True for one caller in `interval`, which has to write the use down.
    func claimUse(of token: TokenRecord, at now: Timestamp, expiresAt: Timestamp?, interval: Duration) -> Bool {
        state.withLock { state in
            let last = state.notedUses[token.id]?.at ?? token.lastUsedAt
            // A use in the future was recorded while the clock was wrong.
            if let last, now >= last, now - last < interval { return false }
            if state.notedUses.isFull {
                // Tokens looked up before those uses hold an earlier expiry.
                state.tokens.removeAll()
                state.mobileKeys.removeAll()
            }
            state.notedUses[token.id] = (now, expiresAt)
            return true
        }
    }
}
