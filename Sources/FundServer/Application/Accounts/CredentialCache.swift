internal import Crypto
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
        /// Second factors of the user: where one is asked for, the password opens nothing.
        var factors: SecondFactors
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
        var hasSecondFactor: Bool
        var version: Int64
    }

    /// A user's mobile tokens with their characters.
    struct MobileKeys: Sendable {
        /// Nil when there is no such user.
        var user: User?
        var hasSecondFactor: Bool
        var keys: [(record: TokenRecord, characters: [UInt8])]
        var version: Int64
    }

    /// A token beyond its row: the id of a token that was deleted may go to a later one.
    struct TokenKey: Hashable {
        private let id: TokenRecord.ID
        private let createdAt: Timestamp

        init(_ token: TokenRecord) { (id, createdAt) = (token.id, token.createdAt) }
    }

    /// Entries of each table: some megabytes.
    private static let maxEntries = 8192

    struct Tables {
        var provedPasswords = BoundedTable<Key, ProvedPassword>(maxEntries: maxEntries)
        var appPasswords = BoundedTable<Key, AppPassword>(maxEntries: maxEntries)
        var tokens = BoundedTable<ContentDigest, Token>(maxEntries: maxEntries)
        var mobileKeys = BoundedTable<User.ID, MobileKeys>(maxEntries: maxEntries)
        /// When each token's use was last written, so that it is not written for every request.
        var notedUses = BoundedTable<TokenKey, (at: Timestamp, expiresAt: Timestamp?)>(maxEntries: maxEntries)
    }

    let tables = Mutex(Tables())
    /// The hash that has taken the key, one block long, and no text yet. Its values never leave the process: what
    /// HMAC (RFC 2104) does beyond this keeps others from making longer ones.
    private let keyed: SHA256 = {
        var hash = SHA256()
        SymmetricKey(size: SymmetricKeySize(bitCount: 8 * SHA256.blockByteCount))
            .withUnsafeBytes { hash.update(bufferPointer: $0) }
        return hash
    }()

    /// - Parameter name: as it was sent.
    func key(name: String, password: String) -> Key {
        var (hash, text) = (keyed, "\(name)\0\(password)")
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
        return ContentDigest(hash.finalize())
    }

    /// The expiry of the token as this process last moved it; nil when it has not.
    func movedExpiry(of token: TokenRecord) -> Timestamp? {
        tables.withLock { $0.notedUses[TokenKey(token)]?.expiresAt }
    }

    /// True for one caller in `interval`, which has to write the use down.
    func claimUse(of token: TokenRecord, at now: Timestamp, expiresAt: Timestamp?, interval: Duration) -> Bool {
        tables.withLock { tables in
            let last = tables.notedUses[TokenKey(token)]?.at ?? token.lastUsedAt
            // A use in the future was recorded while the clock was wrong.
            if let last, now >= last, now - last < interval { return false }
            if tables.notedUses.isFull {
                // Tokens looked up before those uses hold an earlier expiry.
                tables.tokens.removeAll()
                tables.mobileKeys.removeAll()
            }
            tables.notedUses[TokenKey(token)] = (now, expiresAt)
            return true
        }
    }
}
