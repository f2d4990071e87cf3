package import Crypto

extension SymmetricKey {
    /// Derives the key for one purpose from the server key, which is outside of the database (HKDF-SHA256, RFC 5869).
    package init(serverKey: [UInt8], purpose: String) {
        self = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array(purpose.utf8), outputByteCount: 32)
    }
}

/// AES-256-GCM (NIST SP 800-38D) under the key of one purpose. Sealed bytes open only with the context they came with.
package struct ContextSeal: Sendable {
    private let key: SymmetricKey

    package init(serverKey: [UInt8], purpose: String) {
        key = SymmetricKey(serverKey: serverKey, purpose: purpose)
    }

    /// Nonce, ciphertext and tag, in this order.
    package func seal(_ plain: [UInt8], in context: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: key, authenticating: context)
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Nil when it was sealed under another key or in another context, or was changed.
    package func open(_ sealed: [UInt8], in context: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let plain = try? AES.GCM.open(box, using: key, authenticating: context)
        else { return nil }
        return Array(plain)
    }
}
