import Crypto
internal import Foundation
internal import Glibc

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
struct FingerprintHash: ~Copyable {
    private static let blockBytes = 64 << 10
    private static let nonce: AES.GCM.Nonce = {
        guard let nonce = try? AES.GCM.Nonce(data: [UInt8](repeating: 0, count: 12)) else {
            preconditionFailure("GCM has nonces of 12 bytes")
        }
        return nonce
    }()

    private let key: SymmetricKey?
    private var hash = SHA256()
    /// Memory of a block, of which `filled` bytes wait for the rest of it.
    private let block = UnsafeMutableRawBufferPointer.allocate(byteCount: blockBytes, alignment: 16)
    private var filled = 0

    init(key: FingerprintKey?) { self.key = key?.key }

    deinit { block.deallocate() }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        append(start, bytes.count)
    }

    /// Feeds bytes with LF in place of each CRLF. The last byte is no CR.
    mutating func update(normalising bytes: UnsafeRawBufferPointer) {
        guard var position = bytes.baseAddress else { return }
        precondition(bytes.last != .cr)
        let end = position + bytes.count
        // This loop sees every line of every message.
        while position < end {
            let cr = memchr(position, Int32(UInt8.cr), end - position).map { UnsafeRawPointer($0) } ?? end
            append(position, cr - position)
            guard cr < end else { return }
            position = cr + 1
            if position.load(as: UInt8.self) != .lf { append(cr, 1) }
        }
    }

    mutating func finalize() -> ContentDigest {
        if key != nil || filled > 0 { takeBlock() }
        return ContentDigest(hash.finalize())
    }

    @inline(__always)
    private mutating func append(_ start: UnsafeRawPointer, _ count: Int) {
        guard count < Self.blockBytes - filled, let base = block.baseAddress else { return fill(start, count) }
        memcpy(base + filled, start, count)
        filled += count
    }

    /// Takes each block that becomes whole.
    private mutating func fill(_ start: UnsafeRawPointer, _ count: Int) {
        guard let base = block.baseAddress else { return }
        var (position, left) = (start, count)
        while left > 0 {
            let part = min(left, Self.blockBytes - filled)
            memcpy(base + filled, position, part)
            filled += part
            if filled == Self.blockBytes { takeBlock() }
            (position, left) = (position + part, left - part)
        }
    }

    private mutating func takeBlock() {
        let bytes = UnsafeRawBufferPointer(rebasing: block[..<filled])
        filled = 0
        guard let key else { return hash.update(bufferPointer: bytes) }
        guard let box = try? AES.GCM.seal([UInt8](), using: key, nonce: Self.nonce, authenticating: bytes) else {
            preconditionFailure("GCM takes 64 KiB to authenticate")
        }
        hash.update(data: box.tag)
    }
}
