import Crypto
import FundCore
import Glibc

/// A regular file of this machine, open for reading.
final class SourceFile: Sendable {
    private static let chunkBytes: Int64 = 1 << 20

    /// Size when it was opened, in bytes.
    let size: Int64
    /// Modification time when it was opened.
    let modifiedAt: Timestamp
    private let modifiedNanoseconds: Int
    private let descriptor: Int32

    /// Takes over a descriptor. Throws for anything but a regular file, and then has closed it.
    init(takingOwnershipOf descriptor: Int32) throws(ImportRefusal) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else {
            let code = errno
            close(descriptor)
            throw ImportRefusal(code: code)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw ImportRefusal("it is no regular file")
        }
        self.descriptor = descriptor
        size = Int64(status.st_size)
        modifiedAt = Timestamp(Int64(status.st_mtim.tv_sec))
        modifiedNanoseconds = status.st_mtim.tv_nsec
    }

    deinit { close(descriptor) }

    /// Gives all bytes in order. Blocks. Throws `ImportRefusal` when they cannot be read or the file is not what it was
    /// when it was opened, `CancellationError` when `shouldStop` says so, and the errors of `consume`.
    func read(
        shouldStop: () -> Bool = { false }, _ consume: (UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var position: Int64 = 0
        try withUnsafeTemporaryAllocation(byteCount: Int(Self.chunkBytes), alignment: 16) { buffer in
            while position < size {
                if shouldStop() { throw CancellationError() }
                let part = UnsafeMutableRawBufferPointer(
                    rebasing: buffer.prefix(Int(min(Self.chunkBytes, size - position))))
                let count = SystemCall.fill(part, from: descriptor, at: position)
                guard count >= 0 else { throw ImportRefusal(code: errno) }
                guard count == part.count else { throw Self.changed }
                try consume(UnsafeRawBufferPointer(part))
                position += Int64(count)
            }
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw ImportRefusal(code: errno) }
        guard Int64(status.st_size) == size, Int64(status.st_mtim.tv_sec) == modifiedAt.rawValue,
            status.st_mtim.tv_nsec == modifiedNanoseconds
        else { throw Self.changed }
    }

    /// Fills a buffer with the bytes at an offset, fewer only at the end of the file, and returns how many there are.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(ImportRefusal) -> Int {
        let count = SystemCall.fill(buffer, from: descriptor, at: offset)
        guard count >= 0 else { throw ImportRefusal(code: errno) }
        return count
    }

    /// The digest of its bytes. Throws as `read`.
    func digest(shouldStop: () -> Bool) throws -> ContentDigest {
        var hash = SHA256()
        try read(shouldStop: shouldStop) { hash.update(bufferPointer: $0) }
        return ContentDigest(hash.finalize())
    }

    static let changed = ImportRefusal("it changed while it was read")
}
