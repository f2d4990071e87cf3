internal import FundCore

/// A person whose password was right, and who is asked for a second factor. It is no session, and opens nothing.
struct PendingLogin: Sendable, Hashable {
    var user: User.ID
    /// Digest of the password's hash: another password ends it.
    var password: ContentDigest

    init(_ proof: PasswordCheck.Proof) {
        user = proof.user.id
        password = .of(proof.hash.utf8)
    }

    fileprivate init(user: User.ID, password: ContentDigest) {
        self.user = user
        self.password = password
    }
}

/// Seals pending logins for a cookie, under a key of this process: they end with it.
struct PendingLoginSeal: Sendable {
    /// Time to find the telephone.
    static let lifetime = Duration.seconds(600)
    private static let maxTextBytes = 512
    private static let keyBytes = 32

    private let seal = ContextSeal(serverKey: RandomBytes.make(keyBytes), purpose: "fundmail pending logins")

    func text(of login: PendingLogin, at now: Timestamp) throws -> String {
        let plain = "\(login.user) \(now + Self.lifetime) \(login.password.hex)"
        return Base64.urlText(try seal.seal(Array(plain.utf8), in: []))
    }

    /// Nil for text that this process did not seal, and after its time.
    func login(_ text: String?, at now: Timestamp) -> PendingLogin? {
        guard let text, text.utf8.count <= Self.maxTextBytes, let bytes = Base64.bytes(url: text),
            let plain = seal.open(bytes, in: [])
        else { return nil }
        let fields = String(decoding: plain, as: UTF8.self).split(separator: " ")
        guard fields.count == 3, let user = Int64(fields[0]), let expiry = Int64(fields[1]),
            let password = ContentDigest(hex: String(fields[2])), now < Timestamp(expiry)
        else { return nil }
        return PendingLogin(user: User.ID(user), password: password)
    }
}
