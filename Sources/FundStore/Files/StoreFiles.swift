internal import Crypto
import FundCore
internal import Glibc
internal import Synchronization

/// Writes the files of a store and makes them durable, for mail and uploads alike.
final class StoreFiles: Sendable {
    /// Beyond it what was written longest ago is forgotten: it is then written again, no more.
    private static let maxFreshBlobs = 65_536

    /// What this process has written since the last barrier that failed.
    private struct Staging {
        var failedBarriers = 0
        /// Blobs under their final names that no row knows yet; a second message of the batch need not write them
        /// again.
        var freshBlobs: Set<ContentDigest> = []
    }

    let connection: StoreConnection
    let spool: SpoolDirectory
    let faults: FaultInjection
    private let barrier: DurabilityBarrier
    private let staging = Mutex(Staging())

    var layout: StoreLayout { connection.layout }

    init(
        connection: StoreConnection, faults: FaultInjection, syncFileSystem: @escaping @Sendable (Int32) -> Int32
    ) throws {
        let (layout, space) = (connection.layout, connection.space)
        self.connection = connection
        self.faults = faults
        spool = SpoolDirectory(path: layout.temporary, faults: faults, owner: connection.owner) {
            bytes throws(SpoolError) in
            try space.require(bytes)
        }
        barrier = try DurabilityBarrier(layout: layout, syncFileSystem: syncFileSystem)
    }

    // MARK: Durability

    /// How often files were made durable since the store was opened, and how long that took.
    var barrierDurations: DurationHistogram { barrier.durations }

    /// How many barriers have failed: a file is as durable as the next barrier makes it only if none fails in between.
    var failedBarriers: Int { staging.withLock { $0.failedBarriers } }

    /// Files are durable when this returns. When it throws, all files written so far must be written anew, unless one
    /// of these was removed (`stale`). `marks`: how many barriers had failed when they were written.
    func crossBarrier(writtenAfter marks: [Int], files: () -> Set<String>) throws {
        let operation = "make files durable"
        let failures = failedBarriers
        guard marks.allSatisfy({ $0 == failures }) else {
            throw StoreError(.stale, operation, "they were written before an error of the disk")
        }
        faults.reach(.beforeBarrier)
        do {
            try barrier.cross(files: files)
        } catch {
            // No error of the disk: the others are as they were.
            if error.code == ENOENT { throw StoreError(.stale, operation, "one of them was removed meanwhile") }
            staging.withLock { state in
                state.failedBarriers += 1
                state.freshBlobs.removeAll()
            }
            throw StoreError.wrap(error, operation)
        }
        faults.reach(.afterBarrier)
    }

    // MARK: Blobs

    /// A blob counts only when its row is committed, or when this process wrote it since the last failure. In the
    /// ordinary case of new content one lstat(2) tells, and no row is read.
    func holds(_ digest: ContentDigest, size: Int64) throws -> Bool {
        guard StoreLayout.size(of: layout.blob(digest)) == size else { return false }
        if staging.withLock({ $0.freshBlobs.contains(digest) }) { return true }
        return try connection.read("look up an attachment") { try BlobRows.isKnown(digest, $0) }
    }

    /// These blobs have rows now, or are to be removed.
    func forgetFresh(_ digests: some Sequence<ContentDigest>) { staging.withLock { $0.freshBlobs.subtract(digests) } }

    /// Writes under a temporary name, checks size and hash, renames.
    func writeBlob(
        _ attachment: ParsedAttachment, at index: Int,
        read: (_ index: Int, _ consume: (UnsafeRawBufferPointer) throws -> Void) throws -> Void
    ) throws {
        let temporary = "\(layout.temporary)/\(SpoolDirectory.uniqueName(prefix: "blob"))"
        let final = layout.blob(attachment.digest)
        let failures = failedBarriers
        let descriptor = Glibc.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", temporary) }
        var isRenamed = false
        defer {
            Glibc.close(descriptor)
            if !isRenamed { unlink(temporary) }
        }
        try connection.owner?.take(descriptor, path: temporary)
        var hash = SHA256()
        var size: Int64 = 0
        try read(index) { bytes in
            try SpoolWriter.writeAll(bytes, to: descriptor, path: temporary)
            hash.update(bufferPointer: bytes)
            size += Int64(bytes.count)
        }
        guard size == attachment.size, ContentDigest(hash.finalize()) == attachment.digest else {
            throw StoreError(
                .corrupted, "store an attachment",
                "part \(attachment.partPath) reads differently from what the parser said of it")
        }
        faults.reach(.beforeBlobRename)
        guard rename(temporary, final) == 0 else { throw SpoolError("rename to", final) }
        isRenamed = true
        faults.reach(.afterBlobRename)
        staging.withLock { state in
            guard state.failedBarriers == failures else { return }
            if state.freshBlobs.count >= Self.maxFreshBlobs { state.freshBlobs.removeAll() }
            state.freshBlobs.insert(attachment.digest)
        }
    }

    /// Makes the file of a blob without content, durably, unless it is there.
    func makeEmptyBlob() throws -> ContentDigest {
        let digest = ContentDigest.of([])
        let path = layout.blob(digest)
        guard StoreLayout.size(of: path) != 0 else { return digest }
        Glibc.close(try StoreLayout.open(path, owner: connection.owner))
        try DurabilityBarrier.sync(path, flags: O_RDONLY)
        try DurabilityBarrier.sync(
            String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]), flags: O_RDONLY | O_DIRECTORY)
        return digest
    }

    /// Removes those of these blobs that have no row. Under the write lock, so that no row can come meanwhile;
    /// `isStill` is asked there once more. Returns how many went.
    @discardableResult
    func removeOrphans(_ digests: [ContentDigest], where isStill: (ContentDigest) -> Bool) throws -> Int {
        guard !digests.isEmpty else { return 0 }
        return try connection.locked("remove bytes that no row knows") { db in
            try digests.count { digest in
                try !BlobRows.isKnown(digest, db) && isStill(digest) && unlink(layout.blob(digest)) == 0
            }
        }
    }

    /// Opens a blob for reading; the caller closes the descriptor. Throws `corrupted` when bytes of it are missing.
    func openBlob(_ digest: ContentDigest, size: Int64) throws -> Int32 {
        let operation = "read a file"
        let descriptor = Glibc.open(layout.blob(digest), O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else {
            guard errno != ENOENT && errno != ELOOP else {
                throw StoreError(.corrupted, operation, "its bytes are missing")
            }
            throw StoreError.wrap(SpoolError("open", layout.blob(digest)), operation)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int64(status.st_size) == size else {
            Glibc.close(descriptor)
            throw StoreError(.corrupted, operation, "its bytes are cut off")
        }
        return descriptor
    }

    // MARK: Damaged files

    /// Moves a file of the store to `lost/`, under a name that is free there, which it gives.
    func moveToLost(_ path: String) throws -> String {
        try DiskDirectory.make(layout.lost, isPrivate: true, owner: connection.owner)
        let name = path.split(separator: "/").joined(separator: "-")
        var target = "\(layout.lost)/\(name)"
        while StoreLayout.size(of: target) != nil {
            target = "\(layout.lost)/\(SpoolDirectory.uniqueName(prefix: name))"
        }
        guard rename("\(layout.root)/\(path)", target) == 0 else { throw SpoolError("move to lost", path) }
        return String(target.dropFirst(layout.root.utf8.count + 1))
    }
}
