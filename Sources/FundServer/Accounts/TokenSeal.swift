internal import Crypto
internal import Foundation
import Ingest

/// Encrypts the characters of mobile tokens for the database, because their signs need them after a restart (AES-256-GCM, with a
/// key that is not in the database). A sealed token opens only in its own row.
struct TokenSeal: Sendable {
    private let key: SymmetricKey

    init(serverKey: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array("fundmail mobile tokens".utf8),
            outputByteCount: 32)
    }

    func seal(_ characters: String, of user: User.ID) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            Array(characters.utf8), using: key, authenticating: Self.row(user, TokenText.digest(characters)))
        return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Nil when it was sealed under another key, for another row, or changed since.
    func open(_ sealed: [UInt8], of user: User.ID, digest: ContentDigest) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            let characters = try? AES.GCM.open(box, using: key, authenticating: Self.row(user, digest))
        else { return nil }
        return Array(characters)
    }

    private static func row(_ user: User.ID, _ digest: ContentDigest) -> [UInt8] {
        withUnsafeBytes(of: user.bigEndian) { Array($0) } + digest.bytes
    }
}
