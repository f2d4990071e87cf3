internal import Crypto
internal import Glibc
import FundCore
internal import Synchronization

/// An upload in `tmp`, locked (flock(2)) for as long as it is used, so that a sweep by any process leaves it alone;
/// also under its final name, since the lock belongs to the file and not to its name.
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
    private let space: StoreSpace
    private let claim: UploadClaims.ID
    private let state = Mutex(State())

    /// `announced`: how many bytes will come, if that is known. Throws `outOfSpace` when they do not fit.
    init(path: String, failedBarriers: Int, announcing announced: Int64?, in space: StoreSpace, owner: FileOwner?)
        throws
    {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SpoolError("create", path) }
        flock(descriptor, LOCK_EX | LOCK_NB)
        do {
            // A sweep may have come between the two calls above.
            var status = stat()
            guard fstat(descriptor, &status) == 0, status.st_nlink > 0 else {
                throw StoreError(.stale, "take an upload", "its file was swept")
            }
            try owner?.take(descriptor, path: path)
            // By its path: the number of the descriptor may belong to another file by then.
            claim = try space.claims.add(announcing: announced, room: { space.intakeRoom }) { truncate(path, 0) }
        } catch {
            unlink(path)
            close(descriptor)
            throw error
        }
        self.path = path
        self.failedBarriers = failedBarriers
        self.descriptor = descriptor
        self.space = space
    }

    /// After a rename there is nothing to remove.
    deinit {
        space.claims.remove(claim)
        unlink(path)
        close(descriptor)
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try StoreError.wrapping("take an upload") {
            try state.withLock { state in
                guard !state.isFinished else { throw StoreError(.invalid, "take an upload", "it is finished") }
                try space.claims.grow(claim, by: Int64(bytes.count)) { space.intakeRoom }
                try SpoolWriter.writeAll(bytes, to: descriptor, path: path)
                state.hash.update(bufferPointer: bytes)
                state.size += Int64(bytes.count)
            }
        }
    }

    func finish(contentType: String) throws -> StagedUpload {
        try state.withLock { state in
            guard !state.isFinished else { throw StoreError(.invalid, "finish an upload", "it is finished") }
            try space.claims.finish(claim)
            state.isFinished = true
            return StagedUpload(
                path: path, digest: ContentDigest(state.hash.finalize()), size: state.size, contentType: contentType,
                owner: self)
        }
    }

    /// Whether a name leads to this very file: another upload of the same bytes may have taken the name over.
    func stands(at path: String) -> Bool {
        var (mine, found) = (stat(), stat())
        return fstat(descriptor, &mine) == 0 && lstat(path, &found) == 0 && mine.st_ino == found.st_ino
            && mine.st_dev == found.st_dev
    }

    /// Whether a process still holds it open to write or add it.
    static func isInUse(_ path: String) -> Bool {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW, 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }
}
