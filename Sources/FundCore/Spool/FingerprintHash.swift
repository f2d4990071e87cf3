package import Crypto
internal import Foundation

/// The secret by which the fingerprints of one store are computed. Neither it nor a fingerprint leaves the store.
package struct FingerprintKey: Sendable {
    let key: SymmetricKey

    /// - Parameter bytes: 16, 24 or 32, at random. Nil for another count.
    package init?(bytes: some Collection<UInt8>) {
        guard [16, 24, 32].contains(bytes.count) else { return nil }
        key = SymmetricKey(data: Array(bytes))
    }
}

/// Hashes what a fingerprint covers, in a stream, at several times the speed of SHA-256: every message comes by here.
///
/// SHA-256 over the GMAC (NIST SP 800-38D) of each block of 64 KiB, all under the same nonce. Used so, GMAC is a
/// universal hash (Carter and Wegman): the probability that two given blocks collide under a random key is below
/// 2^-115, as long as keys and tags stay secret. Without a key it is SHA-256 of the bytes.
struct FingerprintHash {
    private static let blockBytes = 64 << 10
    private static let nonce: AES.GCM.Nonce = {
        guard let nonce = try? AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)) else {
            preconditionFailure("GCM has nonces of 12 bytes")
        }
        return nonce
    }()

    private let key: SymmetricKey?
    private var hash = SHA256()
    /// Fewer bytes than a block.
    private var rest: [UInt8] = []

    init(key: FingerprintKey?) { self.key = key?.key }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let key else { return hash.update(bufferPointer: bytes) }
        var bytes = bytes
        while rest.count + bytes.count >= Self.blockBytes {
            let part = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.blockBytes - rest.count))
            bytes = UnsafeRawBufferPointer(rebasing: bytes[part.count...])
            if rest.isEmpty {
                take(part, key)
            } else {
                rest.append(contentsOf: part)
                rest.withUnsafeBytes { take($0, key) }
                rest.removeAll(keepingCapacity: true)
            }
        }
        rest.append(contentsOf: bytes)
    }

    mutating func finalize() -> ContentDigest {
        if let key { rest.withUnsafeBytes { take($0, key) } }
        return ContentDigest(hash.finalize())
    }

    private mutating func take(_ block: UnsafeRawBufferPointer, _ key: SymmetricKey) {
        guard let box = try? AES.GCM.seal([UInt8](), using: key, nonce: Self.nonce, authenticating: block) else {
            preconditionFailure("GCM takes 64 KiB to authenticate")
        }
        hash.update(data: box.tag)
    }
}
