internal import Crypto
internal import Glibc
import Ingest
internal import Synchronization

/// An upload in `tmp`, locked (flock(2)) for as long as it is used, so that a sweep by another process leaves it alone.
final class UploadFile: UploadWriter {
    static let namePrefix = "upload"

    private struct State {
        var hash = SHA256()
        var size: Int64 = 0
        var isFinished = false
    }

    let path: String
    /// How many of the store's barriers had failed when it was begun.
    let failedBarriers: Int
    private let descriptor: Int32
    private let state = Mutex(State())

    init(path: String, failedBarriers: Int) throws {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        flock(descriptor, LOCK_EX | LOCK_NB)
        self.path = path
        self.failedBarriers = failedBarriers
        self.descriptor = descriptor
    }

    /// After a rename there is nothing to remove.
    deinit {
        unlink(path)
        close(descriptor)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        do {
            try state.withLock { state in
                guard !state.isFinished else {
                    throw StoreError(.invalid, "take an upload", "it is finished")
                }
                try SpoolWriter.writeAll(bytes, to: descriptor, path: path)
                state.hash.update(bufferPointer: bytes)
                state.size += Int64(bytes.count)
            }
        } catch {
            throw StoreError.wrap(error, "take an upload")
        }
    }

    func finish(contentType: String) throws -> StagedUpload {
        try state.withLock { state in
            guard !state.isFinished else { throw StoreError(.invalid, "finish an upload", "it is finished") }
            state.isFinished = true
            return StagedUpload(
                path: path, digest: ContentDigest(state.hash.finalize()), size: state.size, contentType: contentType,
                owner: self)
        }
    }

    /// Whether somebody still writes or adds it.
    static func isInUse(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
