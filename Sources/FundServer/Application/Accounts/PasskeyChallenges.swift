internal import Crypto
internal import FundCore
internal import Synchronization

/// The random text that a passkey signs: good for some minutes, once, for one act in one browser. A challenge that was
/// given takes no memory, since it holds its own proof under a key of this process; one that was used is remembered
/// until its time is over.
final class PasskeyChallenges: Sendable {
    /// The act that a challenge is for.
    enum Act: Hashable, Sendable {
        case signIn
        case add(User.ID)
        case confirm(User.ID)
    }

    /// Lifetime: as long as a browser's dialog stays open, and a while more.
    static let lifetime = Duration.seconds(300)
    private static let randomBytes = 16
    private static let timeBytes = 8
    /// Limit of those remembered: many people's sign-ins of some minutes.
    private static let maxUsed = 100_000

    private let key = SymmetricKey(size: .bits256)
    private let used = Mutex<[ContentDigest: Timestamp]>([:])

    /// - Parameter browser: characters that only the browser has that asks, and its server.
    func make(for act: Act, in browser: String, at now: Timestamp) -> [UInt8] {
        let expiry = (now + Self.lifetime).rawValue
        let head = RandomBytes.make(Self.randomBytes) + withUnsafeBytes(of: expiry.bigEndian) { Array($0) }
        return head + code(of: head, act, browser)
    }

    /// Whether a challenge is good for this act in this browser; it is not good again. Call it once all else is
    /// proved, so that no client fills the memory with what it did not sign.
    func use(_ challenge: [UInt8], for act: Act, in browser: String, at now: Timestamp) -> Bool {
        guard isGood(challenge, for: act, in: browser, at: now) else { return false }
        return used.withLock { used in
            used = used.filter { $0.value > now }
            guard used.count < Self.maxUsed else { return false }
            return used.updateValue(Self.expiry(of: challenge), forKey: .of(challenge)) == nil
        }
    }

    private func isGood(_ challenge: [UInt8], for act: Act, in browser: String, at now: Timestamp) -> Bool {
        let headBytes = Self.randomBytes + Self.timeBytes
        guard challenge.count == headBytes + SHA256.byteCount else { return false }
        let head = Array(challenge.prefix(headBytes))
        guard SecureBytes.areEqual(code(of: head, act, browser), challenge.dropFirst(headBytes)) else { return false }
        let expiry = Self.expiry(of: challenge)
        // A clock that was set back does not make it good for longer.
        return now < expiry && expiry <= now + Self.lifetime
    }

    private static func expiry(of challenge: [UInt8]) -> Timestamp {
        Timestamp(challenge.dropFirst(randomBytes).prefix(timeBytes).reduce(0) { $0 << 8 | Int64($1) })
    }

    private func code(of head: [UInt8], _ act: Act, _ browser: String) -> [UInt8] {
        let act =
            switch act {
            case .signIn: "sign in"
            case .add(let user): "add \(user)"
            case .confirm(let user): "confirm \(user)"
            }
        return Array(HMAC<SHA256>.authenticationCode(for: head + Array("\(act)\n\(browser)".utf8), using: key))
    }
}
