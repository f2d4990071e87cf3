import Crypto
import FundCore

/// A checksum by which another program knows a file.
enum FileChecksum: Equatable, Sendable {
    /// 16 bytes.
    case md5([UInt8])
    case sha256(ContentDigest)

    /// Nil for anything but the hexadecimal digits of one.
    init?(hex: String) {
        if let digest = ContentDigest(hex: hex) {
            self = .sha256(digest)
        } else if let bytes = Hex.bytes(hex.utf8), bytes.count == Insecure.MD5.byteCount {
            self = .md5(bytes)
        } else {
            return nil
        }
    }
}

extension SourceFile {
    /// The digest of its bytes, and whether they have the checksum. Throws as `read`.
    func digest(
        proving checksum: FileChecksum?, shouldStop: () -> Bool
    ) throws -> (digest: ContentDigest, isProved: Bool) {
        guard case .md5(let expected) = checksum else {
            let digest = try digest(shouldStop: shouldStop)
            return (digest, checksum.map { $0 == .sha256(digest) } ?? true)
        }
        var (hash, md5) = (SHA256(), Insecure.MD5())
        try read(shouldStop: shouldStop) { bytes in
            hash.update(bufferPointer: bytes)
            md5.update(bufferPointer: bytes)
        }
        return (ContentDigest(hash.finalize()), Array(md5.finalize()) == expected)
    }
}
