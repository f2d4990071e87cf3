internal import Crypto

/// Makes the digest of bytes that come in pieces.
public struct DigestBuilder: Sendable {
    private var hash = SHA256()

    /// Creates the digest of no bytes.
    public init() {}

    /// Adds bytes at the end.
    public mutating func add(_ bytes: [UInt8]) { bytes.withUnsafeBytes { hash.update(bufferPointer: $0) } }

    /// Digest of all bytes so far. More may be added afterwards.
    public var digest: Digest {
        guard let digest = Digest(bytes: hash.finalize()) else { preconditionFailure("SHA-256 has 32 bytes") }
        return digest
    }
}
