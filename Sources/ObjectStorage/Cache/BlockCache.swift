package import FundCore
internal import Glibc
internal import Synchronization

/// A cache of objects on a disk of this machine, by blocks, which its processes share. It is bounded: what was not used
/// for the longest time goes first. An object never changes under its name, so that nothing in it grows old.
package final class BlockCache: Sendable {
    private let folder: String
    /// Upper bound for the bytes on the disk, which one object on its way may pass by a step.
    private let maxBytes: Int64
    /// Bytes that this process added since it last counted.
    private let added = Atomic<Int64>(0)

    /// The cache is counted each time that so large a part of it came, and then emptied by as much.
    private static let steps: Int64 = 16
    /// A file with the mark of a new one is older than this only where its process was killed.
    private static let maxMakingTime = Duration.seconds(3600)

    /// Makes the folder, which no other user reads. Throws `DiskError`.
    package init(_ folder: String, maxBytes: Int64) throws(DiskError) {
        (self.folder, self.maxBytes) = (folder, maxBytes)
        try DiskDirectory.make(folder, isPrivate: true)
        makeRoom()
    }

    /// An object of a bucket. One of which blocks are here is opened without a request; of another the first block is
    /// fetched. Throws `ObjectStorageError`.
    package func object(_ key: ObjectKey, in bucket: Bucket) throws(ObjectStorageError) -> CachedObject {
        try CachedObject(key, in: bucket, cache: self)
    }

    func path(of name: String) -> String { "\(folder)/\(ContentDigest.of(name.utf8).hex)" }

    /// Notes that bytes came, and makes room where it is time.
    func noteAdded(_ count: Int) {
        let bytes = added.add(Int64(count), ordering: .relaxed).newValue
        guard bytes > maxBytes / Self.steps else { return }
        added.store(0, ordering: .relaxed)
        makeRoom()
    }

    private struct Entry {
        var path: String
        var bytes: Int64
        /// Nanoseconds since 1970.
        var usedAt: Int64
    }

    /// Removes what was not used for the longest time. Readers that have such a file open keep what they have of it.
    private func makeRoom() {
        var entries: [Entry] = []
        var status = stat()
        let nanoseconds: Int64 = 1_000_000_000
        for name in (try? DiskDirectory.names(in: folder)) ?? [] {
            let path = "\(folder)/\(name)"
            guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { continue }
            let usedAt = Int64(status.st_mtim.tv_sec) * nanoseconds + Int64(status.st_mtim.tv_nsec)
            if name.contains(".") {
                let age = Timestamp.now - Timestamp(Int64(status.st_mtim.tv_sec))
                if age > Self.maxMakingTime { unlink(path) }
                continue
            }
            entries.append(Entry(path: path, bytes: Int64(status.st_blocks) * 512, usedAt: usedAt))
        }
        var total = entries.reduce(0) { $0 + $1.bytes }
        guard total > maxBytes else { return }
        for entry in entries.sorted(by: { $0.usedAt < $1.usedAt }) {
            guard total > maxBytes - maxBytes / Self.steps else { break }
            if unlink(entry.path) == 0 { total -= entry.bytes }
        }
    }
}
