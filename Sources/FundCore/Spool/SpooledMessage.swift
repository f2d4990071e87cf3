internal import Glibc

/// A message that has come and is not yet in the store.
package struct SpooledMessage: Sendable {
    package private(set) var content: SpooledContent
    /// SHA-256 of the bytes as they came.
    package var digest: ContentDigest
    /// Digest of the bytes without what differs between two copies of one message; see `ContentFingerprint`.
    package var fingerprint: ContentDigest
    /// The fingerprint under which rows of an earlier version may hold it; nil when none can. See
    /// `SpoolDirectory.earlierFingerprint`.
    package var earlierFingerprint: ContentDigest?

    package init(content: SpooledContent, digest: ContentDigest, fingerprint: ContentDigest) {
        self.content = content
        self.digest = digest
        self.fingerprint = fingerprint
    }

    /// In bytes.
    package var size: Int64 { content.size }

    /// All fingerprints under which a copy may be in the store.
    package var fingerprints: [ContentDigest] { [fingerprint] + (earlierFingerprint.map { [$0] } ?? []) }

    /// Lets go of the bytes, once they are stored: a batch of messages keeps none.
    package mutating func dropBytes() { content = SpooledContent(droppedBytes: size) }
}

/// The bytes of a spooled message: of a small one in memory, of a large one in a file without a name, which goes with
/// the last use of it, however the process ends.
package final class SpooledContent: Sendable {
    private enum Storage: Sendable {
        case memory([UInt8])
        case file(Int32, directory: String)
        case dropped
    }

    /// In bytes.
    package let size: Int64
    private let storage: Storage

    /// Bytes that `SpoolMemory` granted.
    init(_ bytes: [UInt8]) {
        storage = .memory(bytes)
        size = Int64(bytes.count)
    }

    /// Closes the descriptor at the end.
    init(_ descriptor: Int32, size: Int64, directory: String) {
        storage = .file(descriptor, directory: directory)
        self.size = size
    }

    /// The content of a message that is stored.
    init(droppedBytes size: Int64) { (storage, self.size) = (.dropped, size) }

    deinit {
        switch storage {
        case .memory(let bytes): SpoolMemory.give(back: bytes.count)
        case .file(let descriptor, _): close(descriptor)
        case .dropped: break
        }
    }

    private static let dropped = DiskError("read", "a message whose bytes were let go", code: EBADF)

    /// Nil of a large one.
    package var memory: [UInt8]? {
        if case .memory(let bytes) = storage { bytes } else { nil }
    }

    /// Another descriptor of the file of a large one, for reading alone, at its beginning; the caller closes it. Nil of
    /// a small one. Throws `DiskError`.
    package func openFile() throws(DiskError) -> Int32? {
        guard case .file(let file, let directory) = storage else { return nil }
        let descriptor = open("/proc/self/fd/\(file)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError("open a message again in", directory) }
        return descriptor
    }

    /// Gives all bytes at once, with a function that gives the memory back which a large message takes: to be called
    /// each time that some `MappedBytes.stepBytes` were looked at. Throws `DiskError`, and what `body` throws.
    package func withBytes<Result>(
        _ body: (_ bytes: UnsafeRawBufferPointer, _ release: @escaping () -> Void) throws -> Result
    ) throws -> Result {
        switch storage {
        case .memory(let bytes): return try bytes.withUnsafeBytes { try body($0, {}) }
        case .file(let descriptor, let directory):
            let mapped = try MappedBytes(descriptor, 0..<size, path: directory)
            return try withExtendedLifetime(mapped) { try body(mapped.bytes, mapped.release) }
        case .dropped: throw Self.dropped
        }
    }

    /// Gives the bytes in order, in constant memory. Throws `DiskError`, and what `consume` throws.
    package func read(_ consume: (UnsafeRawBufferPointer) throws -> Void) throws {
        switch storage {
        case .memory(let bytes): try bytes.withUnsafeBytes(consume)
        case .file(let descriptor, let directory):
            try FileBytes.read(
                0..<size, of: descriptor, path: directory, trying: "read a message again in", consume)
        case .dropped: throw Self.dropped
        }
    }
}
