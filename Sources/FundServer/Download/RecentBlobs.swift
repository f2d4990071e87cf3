internal import FundCore
internal import NIOCore
internal import Synchronization

/// Blobs that were sent lately, still open: their bytes come from the kernel's memory without a turn on another thread.
final class RecentBlobs: Sendable {
    /// As many descriptors.
    private static let maxBlobs = 256

    private let blobs = Mutex<[ContentDigest: OpenBlob]>([:])

    /// Files that are no blobs may change their names.
    func keep(_ blob: OpenBlob) {
        guard blob.isBlob else { return }
        blobs.withLock { blobs in
            // Any of them: what is asked for often comes back at once.
            if blobs.count >= Self.maxBlobs, blobs[blob.digest] == nil { blobs.remove(at: blobs.startIndex) }
            blobs[blob.digest] = blob
        }
    }

    /// Nil unless the file is still there, was not touched since it was hashed, and the kernel has these bytes in memory.
    func read(_ content: ServedContent, _ range: Range<Int64>, _ verification: BlobVerification) -> ByteBuffer? {
        guard content.path == nil, let blob = blobs.withLock({ $0[content.digest] }), blob.size == content.size else {
            return nil
        }
        guard let identity = blob.identityWhileThere(), verification.isKnown(blob.digest, as: identity) else {
            blobs.withLock { $0[content.digest] = nil }
            return nil
        }
        return blob.readFromMemory(range)
    }
}
