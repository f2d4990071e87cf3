internal import Crypto

/// Random bytes for keys, secrets and marks, which cannot be guessed.
package enum RandomBytes {
    /// Bytes of the kernel (getrandom(2)).
    package static func make(_ count: Int) -> [UInt8] {
        SymmetricKey(size: SymmetricKeySize(bitCount: count * 8)).withUnsafeBytes { Array($0) }
    }
}
