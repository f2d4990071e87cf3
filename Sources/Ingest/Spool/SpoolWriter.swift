internal import Glibc

/// A message on disk, not yet in the store.
package struct SpooledMessage: Sendable, Hashable {
    package var path: String
    package var size: Int64
    /// SHA-256 of the bytes as they came.
    package var digest: ContentDigest
    /// SHA-256 of the bytes without what differs between two copies of one message; see `ContentFingerprint`.
    package var fingerprint: ContentDigest
    /// What earlier versions took for its fingerprint, where that was another: rows whose raw message is gone still have it.
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

/// Streams one message to disk and hashes it on the way, in constant memory. Without `finish` the file goes away again.
package struct SpoolWriter: ~Copyable {
    private let path: String
    private let descriptor: Int32
    private let faults: FaultInjection
    private var size: Int64 = 0
    private var digests = MessageDigests()
    private var isFinished = false

    init(path: String, faults: FaultInjection) throws(SpoolError) {
        faults.reach(.beforeSpoolWrite)
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        self.path = path
        self.descriptor = descriptor
        self.faults = faults
    }

    deinit {
        close(descriptor)
        if !isFinished { unlink(path) }
    }

    package mutating func append(_ bytes: UnsafeRawBufferPointer) throws(SpoolError) {
        try Self.writeAll(bytes, to: descriptor, path: path)
        size += Int64(bytes.count)
        digests.update(bytes)
    }

    package consuming func finish() -> SpooledMessage {
        isFinished = true
        faults.reach(.afterSpoolWrite)
        let (digest, fingerprint, former) = digests.finalize()
        return SpooledMessage(
            path: path, size: size, digest: digest, fingerprint: fingerprint, formerFingerprint: former)
    }

    /// write(2) until all is written.
    package static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String
    ) throws(SpoolError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw SpoolError("write", path) }
            rest = rest.dropFirst(count)
        }
    }
}
