internal import Glibc

/// A message on disk, not yet in the store.
package struct SpooledMessage: Sendable, Hashable {
    package var path: String
    package var size: Int64
    /// SHA-256 of the bytes as they came.
    package var digest: ContentDigest
    /// SHA-256 of the bytes without what differs between two copies of one message; see `ContentFingerprint`.
    package var fingerprint: ContentDigest
    /// Its fingerprint of revision 1, where that differs: rows whose raw message was removed still have it.
    package var formerFingerprint: ContentDigest?

    package init(
        path: String, size: Int64, digest: ContentDigest, fingerprint: ContentDigest,
        formerFingerprint: ContentDigest? = nil
    ) {
        self.path = path
        self.size = size
        self.digest = digest
        self.fingerprint = fingerprint
        self.formerFingerprint = formerFingerprint
    }

    /// Removes the file, if it is still there.
    package func discard() { unlink(path) }
}

/// Streams one message to disk and hashes it on the way, in constant memory. Without `finish` the file is removed.
package struct SpoolWriter: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let directory: SpoolDirectory
    /// Size up to which `SpoolDirectory.require` has granted room.
    private var allowedSize: Int64 = 0
    private var size: Int64 = 0
    private var digests = MessageDigests()
    private var isFinished = false

    /// Room is requested in steps of this many bytes.
    private static let roomStep: Int64 = 1 << 20

    init(in directory: SpoolDirectory, named name: String) throws(SpoolError) {
        directory.faults.reach(.beforeSpoolWrite)
        let path = "\(directory.path)/\(name)"
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        do throws(SpoolError) { try directory.owner?.take(descriptor, path: path) } catch {
            close(descriptor)
            unlink(path)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        self.directory = directory
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(path) }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SpoolError) {
        let end = size + Int64(bytes.count)
        if end > allowedSize {
            try directory.require(end - size)
            allowedSize = max(end, size + Self.roomStep)
        }
        try Self.writeAll(bytes, to: descriptor, path: path)
        size += Int64(bytes.count)
        digests.update(bytes)
    }

    package consuming func finish() -> SpooledMessage {
        isFinished = true
        directory.faults.reach(.afterSpoolWrite)
        let (digest, fingerprint, former) = digests.finalize()
        return SpooledMessage(
            path: path, size: size, digest: digest, fingerprint: fingerprint, formerFingerprint: former)
    }

    /// write(2) until all is written.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String
    ) throws(SpoolError) {
        guard SystemCall.writeAll(bytes, { write(descriptor, $0.baseAddress, $0.count) }) else {
            throw SpoolError("write", path)
        }
    }
}
