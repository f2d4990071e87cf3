import CLinux
internal import Crypto
internal import Glibc
import Ingest

enum FileHash {
    private static let chunkBytes = 256 * 1024

    /// Hashes a file and hands its bytes on; the file is never whole in memory. Throws `SpoolError`.
    static func read(
        _ path: String, _ consume: (UnsafeRawBufferPointer) throws -> Void = { _ in }
    ) throws -> (digest: ContentDigest, size: Int64) {
        let descriptor = fundmail_open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { throw SpoolError("open", path) }
        defer { close(descriptor) }
        var hash = SHA256()
        var size: Int64 = 0
        try withUnsafeTemporaryAllocation(byteCount: chunkBytes, alignment: 16) { buffer in
            while true {
                let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
                if count < 0, errno == EINTR { continue }
                guard count >= 0 else { throw SpoolError("read", path) }
                if count == 0 { return }
                let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                hash.update(bufferPointer: bytes)
                try consume(bytes)
                size += Int64(count)
            }
        }
        return (ContentDigest(hash.finalize()), size)
    }
}
