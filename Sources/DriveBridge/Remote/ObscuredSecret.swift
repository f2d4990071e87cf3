internal import CryptoExtras
internal import Crypto
internal import FundCore

/// A secret as rclone has it in its file: AES in counter mode with a key that everybody knows (fs/config/obscure of
/// rclone). It keeps no secret, and its form is what the options for passwords take.
enum ObscuredSecret {
    private static let key: [UInt8] = [
        0x9C, 0x93, 0x5B, 0x48, 0x73, 0x0A, 0x55, 0x4D, 0x6B, 0xFD, 0x7C, 0x63, 0xC8, 0x86, 0xA9, 0x2B,
        0xD3, 0x90, 0x19, 0x8E, 0xB8, 0x12, 0x8A, 0xFB, 0xF4, 0xDE, 0x16, 0x2B, 0x8B, 0x95, 0xF6, 0x38,
    ]
    private static let nonceBytes = 16

    static func text(_ secret: String) throws -> String {
        let nonce = RandomBytes.make(nonceBytes)
        let sealed = try AES._CTR.encrypt(
            Array(secret.utf8), using: SymmetricKey(data: key), nonce: AES._CTR.Nonce(nonceBytes: nonce))
        return Base64.urlText(nonce + sealed)
    }
}
