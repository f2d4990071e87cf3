internal import Crypto
internal import FundCore

extension SymmetricKey {
    /// Derives the key for one purpose from the server key, which is outside of the database (HKDF-SHA256, RFC 5869).
    init(serverKey: [UInt8], purpose: String) {
        self = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array(purpose.utf8), outputByteCount: 32)
    }
}

/// AES-256-GCM (NIST SP 800-38D) under the key of one purpose. Sealed bytes open only with the context they came with.
struct ContextSeal: Sendable {
    private let key: SymmetricKey

    init(serverKey: [UInt8], purpose: String) { key = SymmetricKey(serverKey: serverKey, purpose: purpose) }

    /// Nonce, ciphertext and tag, in this order.
    func seal(_ plain: [UInt8], in context: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: key, authenticating: context)
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Nil when it was sealed under another key or in another context, or was changed.
    func open(_ sealed: [UInt8], in context: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: key, authenticating: context)
        else { return nil }
        return Array(plain)
    }
}

/// Encrypts the characters of mobile tokens for the database, since checking a sign needs them after a restart. The key
/// is not in the database, and a sealed token opens only for its own row.
struct TokenSeal: Sendable {
    private let seal: ContextSeal

    init(serverKey: [UInt8]) { seal = ContextSeal(serverKey: serverKey, purpose: "fundmail mobile tokens") }

    func seal(_ characters: String, of user: User.ID) throws -> [UInt8] {
        try seal.seal(Array(characters.utf8), in: Self.row(user, TokenText.digest(characters)))
    }

    /// Nil when it was sealed under another key or for another row, or was changed.
    func open(_ sealed: [UInt8], of user: User.ID, digest: ContentDigest) -> [UInt8]? {
        seal.open(sealed, in: Self.row(user, digest))
    }

    private static func row(_ user: User.ID, _ digest: ContentDigest) -> [UInt8] {
        withUnsafeBytes(of: user.rawValue.bigEndian) { Array($0) } + digest.bytes
    }
}
