internal import Crypto
import FundCore

/// SHA-256 of files.
enum FileHash {
    /// Hashes a file and hands its bytes on; the file is never whole in memory. Throws `DiskError`.
    static func read(
        _ path: String, _ consume: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> (digest: ContentDigest, size: Int64) {
        var hash = SHA256()
        var size: Int64 = 0
        try FileBytes.read(path) { bytes in
            hash.update(bufferPointer: bytes)
            try consume(bytes)
            size += Int64(bytes.count)
        }
        return (ContentDigest(hash.finalize()), size)
    }

    /// Whether a file has these very bytes.
    static func has(_ path: String, _ digest: ContentDigest, size: Int64) throws -> Bool {
        try DiskFile.size(of: path) == size && read(path).digest == digest
    }
}
