internal import Crypto
internal import FundCore
internal import Synchronization

/// The sign-ins on pages of stores that people have begun: each is good once, for some minutes, in the session that
/// began it. They stand in memory: a sign-in that a restart cuts is begun anew.
final class DriveSignIns: Sendable {
    static let lifetime = Duration.seconds(900)
    /// Bytes of a code: those of Microsoft have some thousand.
    static let maxCodeBytes = 8192
    private static let maxOfUser = 20
    private static let maxAll = 10_000
    /// RFC 1035 §2.3.4.
    private static let maxHostBytes = 255
    /// The least of RFC 7636 §7.1.
    private static let randomBytes = 32

    /// A sign-in that has begun.
    struct Begun: Sendable {
        var kind: DriveKind
        /// The name of the drive that is added.
        var name: String
        /// The drive that is signed in to anew; nil for one that is added.
        var drive: Drive.ID?
        var user: User.ID
        /// The session that began it; nil for a password that came with the request.
        var session: TokenRecord.ID?
        /// Whether a program began it, which is given the code by a person.
        var isOfProgram: Bool
        /// The host of the account's region, as the store named it when it led back; nil where it named none.
        var host: String?
        /// Proves to the store that the one who brings the code is the one who began (RFC 7636 §4.1).
        var verifier = ""
        var endsAt = ContinuousClock.now
    }

    private let begun = Mutex<[String: Begun]>([:])

    /// Beyond the bound of one person, the oldest of theirs ends. Throws `busy` beyond that of all.
    func begin(_ signIn: Begun) throws(DriveError) -> DriveSignInRequest {
        var signIn = signIn
        signIn.verifier = Base64.urlText(RandomBytes.make(Self.randomBytes))
        signIn.endsAt = .now + Self.lifetime
        let state = Base64.urlText(RandomBytes.make(Self.randomBytes))
        let isKept = begun.withLock { begun in
            begun = begun.filter { $0.value.endsAt > .now }
            let own = begun.filter { $0.value.user == signIn.user }
            if own.count >= Self.maxOfUser, let oldest = own.min(by: { $0.value.endsAt < $1.value.endsAt }) {
                begun[oldest.key] = nil
            }
            guard begun.count < Self.maxAll else { return false }
            begun[state] = signIn
            return true
        }
        guard isKept else { throw DriveError(.busy, "too many sign-ins have begun: wait 15 minutes") }
        let digest = Array(SHA256.hash(data: Array(signIn.verifier.utf8)))
        return DriveSignInRequest(state: state, challenge: Base64.urlText(digest))
    }

    /// A sign-in of this user, which stays; nil for another text.
    func look(_ state: String, of user: User.ID) -> Begun? {
        begun.withLock { $0[state] }.flatMap { $0.user == user && $0.endsAt > .now ? $0 : nil }
    }

    /// Keeps the host that the store named with the code, which a person carries without it.
    func keepHost(_ host: String, of state: String) {
        guard host.utf8.count <= Self.maxHostBytes else { return }
        begun.withLock { $0[state]?.host = host }
    }

    /// A sign-in of this session, which is good no more; nil for another text.
    func take(_ state: String, of user: User.ID, in session: TokenRecord.ID?) -> Begun? {
        begun.withLock { begun in
            guard let signIn = begun[state], signIn.user == user, signIn.session == session else { return nil }
            begun[state] = nil
            return signIn.endsAt > .now ? signIn : nil
        }
    }
}
