internal import Crypto
internal import Foundation
import Ingest

/// Closes the cursors of lists: what a store writes into one (numbers of all users' things, names) is no client's affair, and none
/// can make one. AES-256-GCM, bound to the user and the list.
struct CursorSeal: Sendable {
    private let key: SymmetricKey

    init(serverKey: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: serverKey), info: Array("fundmail list cursors".utf8),
            outputByteCount: 32)
    }

    func seal(_ cursor: String, of list: String, for user: User.ID) throws -> String {
        let box = try AES.GCM.seal(
            Array(cursor.utf8), using: key, authenticating: Self.context(list, user))
        return SecureBytes.base64URL(Array(box.nonce) + Array(box.ciphertext) + Array(box.tag))
    }

    /// Nil when it is none, or another user's or list's.
    func open(_ text: String, of list: String, for user: User.ID) -> String? {
        guard let bytes = SecureBytes.bytes(base64URL: text), let box = try? AES.GCM.SealedBox(combined: bytes),
            let cursor = try? AES.GCM.open(box, using: key, authenticating: Self.context(list, user))
        else { return nil }
        return String(decoding: cursor, as: UTF8.self)
    }

    private static func context(_ list: String, _ user: User.ID) -> [UInt8] {
        withUnsafeBytes(of: user.bigEndian) { Array($0) } + Array(list.utf8)
    }
}
