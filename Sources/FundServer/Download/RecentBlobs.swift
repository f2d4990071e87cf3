internal import FundCore
internal import NIOCore
internal import Synchronization

/// Open files of blobs that were sent lately: bytes in the page cache are read without a switch of threads.
final class RecentBlobs: Sendable {
    /// Each takes a descriptor.
    private static let maxBlobs = 256

    private let blobs = Mutex<[ContentDigest: OpenBlob]>([:])

    /// Raw messages are left out: their files may be renamed.
    func keep(_ blob: OpenBlob) {
        guard blob.isBlob else { return }
        blobs.withLock { blobs in
            // Removes any entry: a blob that is asked for often comes back at once.
            if blobs.count >= Self.maxBlobs, blobs[blob.digest] == nil { blobs.remove(at: blobs.startIndex) }
            blobs[blob.digest] = blob
        }
    }

    /// Nil unless the file still exists, was not touched since it was verified, and these bytes are in the page cache.
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
