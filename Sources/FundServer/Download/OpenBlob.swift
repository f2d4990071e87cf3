internal import CLinux
internal import Glibc
internal import FundCore
internal import NIOCore
internal import Synchronization

/// A blob that is open for reading. All calls block, unless they say otherwise.
final class OpenBlob: Sendable {
    /// The state of a file: differs after the file was written to or replaced.
    struct Identity: Hashable, Sendable {
        private let device: UInt
        private let inode: UInt
        private let size: Int
        /// Nanoseconds since 1970.
        private let modified: Int
        private let changed: Int

        fileprivate init(_ status: stat) {
            device = UInt(status.st_dev)
            inode = UInt(status.st_ino)
            size = Int(status.st_size)
            modified = status.st_mtim.tv_sec &* 1_000_000_000 &+ status.st_mtim.tv_nsec
            changed = status.st_ctim.tv_sec &* 1_000_000_000 &+ status.st_ctim.tv_nsec
        }
    }

    let digest: ContentDigest
    let size: Int64
    /// Whether the file is named by its digest.
    let isBlob: Bool
    private let descriptor: Int32

    /// Throws `BlobError` when the file is missing or has another size, else the error of the store.
    init(_ content: ServedContent, in files: any FileLibrary) throws {
        digest = content.digest
        size = content.size
        isBlob = content.path == nil
        if let path = content.path {
            descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
            guard descriptor >= 0 else { throw BlobError(detail: "\(path) cannot be opened: error \(errno)") }
            return
        }
        do {
            descriptor = try files.openBlob(content.digest, size: content.size)
        } catch let failure as StoreError where failure.code == .corrupted {
            throw BlobError(detail: failure.detail)
        }
    }

    deinit { close(descriptor) }

    func identity() throws -> Identity {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw BlobError(detail: "fstat: error \(errno)") }
        return Identity(status)
    }

    /// Reads exactly these bytes.
    func read(_ range: Range<Int64>) throws -> ByteBuffer {
        let count = Int(range.upperBound - range.lowerBound)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        var offset = range.lowerBound
        while offset < range.upperBound {
            let rest = Int(range.upperBound - offset)
            let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: rest) { bytes in
                max(0, Self.read(descriptor, bytes.baseAddress, rest, offset))
            }
            guard got > 0 else { throw BlobError(detail: "it ends or cannot be read at byte \(offset)") }
            offset += Int64(got)
        }
        return buffer
    }

    /// Nil when the file was deleted or replaced. Does not wait for the disk.
    func identityWhileThere() -> Identity? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else { return nil }
        return Identity(status)
    }

    /// Reads these bytes if all of them are in the page cache, else nil. Does not wait for the disk.
    func readFromMemory(_ range: Range<Int64>) -> ByteBuffer? {
        let count = Int(range.upperBound - range.lowerBound)
        var buffer = ByteBufferAllocator().buffer(capacity: count)
        let got = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { bytes in
            max(0, fundmail_read_from_memory(descriptor, bytes.baseAddress, count, off_t(range.lowerBound)))
        }
        return got == count ? buffer : nil
    }

    /// Gives the whole content to `consume`, in pieces.
    func readAll(_ consume: (UnsafeRawBufferPointer) -> Void) throws {
        posix_fadvise(descriptor, 0, 0, Int32(POSIX_FADV_SEQUENTIAL))
        let capacity = Int(min(max(size, 1), 1024 * 1024))
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
        defer { bytes.deallocate() }
        var offset: Int64 = 0
        while true {
            let got = Self.read(descriptor, bytes.baseAddress, capacity, offset)
            guard got >= 0 else { throw BlobError(detail: "it cannot be read at byte \(offset): error \(errno)") }
            if got == 0 { return }
            consume(UnsafeRawBufferPointer(rebasing: bytes[..<got]))
            offset += Int64(got)
        }
    }

    private static func read(_ descriptor: Int32, _ base: UnsafeMutableRawPointer?, _ count: Int, _ offset: Int64)
        -> Int
    {
        SystemCall.retrying { pread(descriptor, base, count, off_t(offset)) }
    }
}

/// Why a blob cannot be served: its file is missing, unreadable or damaged.
struct BlobError: Error {
    /// For the log.
    var detail: String
}

/// Open files of blobs that were sent lately: bytes in the page cache are read without a switch of threads.
final class RecentBlobs: Sendable {
    /// Each takes a descriptor.
    private static let maxBlobs = 256

    private let blobs = Mutex<[ContentDigest: (blob: OpenBlob, verifiedAs: OpenBlob.Identity)]>([:])

    /// Raw messages are left out: their files may be renamed.
    func keep(_ blob: OpenBlob, verifiedAs identity: OpenBlob.Identity) {
        guard blob.isBlob else { return }
        blobs.withLock { blobs in
            // Removes any entry: a blob that is asked for often comes back at once.
            if blobs.count >= Self.maxBlobs, blobs[blob.digest] == nil { blobs.remove(at: blobs.startIndex) }
            blobs[blob.digest] = (blob, identity)
        }
    }

    /// Nil unless the file still exists, was not touched since it was verified, and these bytes are in the page cache.
    func read(_ content: ServedContent, _ range: Range<Int64>) -> ByteBuffer? {
        guard content.path == nil, let (blob, identity) = blobs.withLock({ $0[content.digest] }),
            blob.size == content.size
        else { return nil }
        guard blob.identityWhileThere() == identity else {
            blobs.withLock { $0[content.digest] = nil }
            return nil
        }
        return blob.readFromMemory(range)
    }
}
