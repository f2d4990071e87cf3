internal import Foundation

/// An open file of this machine, closed with its last reference. Calls wait for the disk: they belong on a
/// `BlockingExecutor`. Every failure is a `ClientError` (`noSpaceHere` or `local`).
final class OpenFile: Sendable {
    enum Access: Sendable {
        case read
        /// Read and write; made when it is not there.
        case write
        /// Read and write a new file; fails with `isNameTaken` when something has the name.
        case create
    }

    let path: String
    private let descriptor: Int32

    /// - Parameter rights: of a file that is made, before the mask of the process.
    init(_ path: String, _ access: Access, rights: UInt32 = 0o600) throws(ClientError) {
        let flags =
            switch access {
            case .read: O_RDONLY | O_NOFOLLOW
            case .write: O_RDWR | O_CREAT | O_NOFOLLOW
            case .create: O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW
            }
        descriptor = open(path, flags | O_CLOEXEC | O_NONBLOCK, mode_t(rights))
        self.path = path
        guard descriptor >= 0 else { throw ClientError(errno: errno, path) }
    }

    deinit {
        // Another open file of the same name is not touched by it. Closing alone leaves a lock to the copies that a
        // child has which another thread starts at that moment.
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    func status() throws(ClientError) -> FileStatus {
        var raw = stat()
        guard fstat(descriptor, &raw) == 0 else { throw ClientError(errno: errno, path) }
        return FileStatus(raw)
    }

    /// Writes all of it at an offset.
    func write(_ bytes: [UInt8], at offset: Int64) throws(ClientError) {
        var (done, code) = (0, Int32(0))
        bytes.withUnsafeBytes { buffer in
            while done < buffer.count, let start = buffer.baseAddress {
                let count = pwrite(descriptor, start + done, buffer.count - done, off_t(offset) + off_t(done))
                if count > 0 {
                    done += count
                } else if count == 0 || errno != EINTR {
                    code = count == 0 ? ENOSPC : errno
                    return
                }
            }
        }
        if code != 0 { throw ClientError(errno: code, path) }
    }

    /// Fewer bytes only at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(ClientError) -> [UInt8] {
        var code = Int32(0)
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count, let start = buffer.baseAddress {
                let got = pread(descriptor, start + filled, count - filled, off_t(offset) + off_t(filled))
                if got > 0 {
                    filled += got
                } else if got == 0 {
                    return
                } else if errno != EINTR {
                    code = errno
                    return
                }
            }
        }
        if code != 0 { throw ClientError(errno: code, path) }
        return bytes
    }

    func truncate(to size: Int64) throws(ClientError) {
        guard ftruncate(descriptor, off_t(size)) == 0 else { throw ClientError(errno: errno, path) }
    }

    /// Sets the time of the last change. A file system that knows none, or not that one, leaves it as it is.
    /// - Parameter seconds: since 1970.
    func setModified(_ seconds: Int64) throws(ClientError) {
        let stamp = timespec(tv_sec: Int(clamping: seconds), tv_nsec: 0)
        let times = [stamp, stamp]
        guard futimens(descriptor, times) != 0 else { return }
        let error = ClientError(errno: errno, path)
        guard error.isUnsupported || error.isBeyondRange else { throw error }
    }

    /// Returns when what was written is on the disk.
    func flush() throws(ClientError) {
        guard fsync(descriptor) == 0 else { throw ClientError(errno: errno, path) }
    }

    /// Takes the file for this process until it is closed, however the process ends. False when another holds it.
    func lock() throws(ClientError) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return false }
            guard errno == EINTR else { throw ClientError(errno: errno, path) }
        }
        return true
    }

    /// Waits until no other process holds the lock, and takes it.
    func waitForLock() throws(ClientError) {
        while flock(descriptor, LOCK_EX) != 0 {
            guard errno == EINTR else { throw ClientError(errno: errno, path) }
        }
    }

    /// Whether its name still leads to it: it was neither removed nor replaced.
    var isStillNamed: Bool {
        guard let named = try? LocalFiles.status(path), let own = try? status() else { return false }
        return named.identity == own.identity
    }
}
