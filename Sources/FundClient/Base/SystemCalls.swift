// The only file that knows which C library it is.
#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// Calls of the system that Foundation does not have, or not with the promises that are needed here.
enum SystemCalls {
    /// A failed call: what it was, and the number of its error.
    struct Failure: Error, Hashable {
        var call: String
        var number: Int32

        var isNotFound: Bool { number == ENOENT }
        var isTaken: Bool { number == EEXIST }
        var isNoSpace: Bool { number == ENOSPC || number == EDQUOT }
        var words: String { String(cString: strerror(number)) }
    }

    /// Opens a file, creating it with the rights `0600` if it is not there.
    static func openPrivate(_ path: String, truncating: Bool) throws(Failure) -> Int32 {
        try check("open") { open(path, O_RDWR | O_CREAT | O_CLOEXEC | (truncating ? O_TRUNC : 0), 0o600) }
    }

    static func openToRead(_ path: String) throws(Failure) -> Int32 {
        try check("open") { open(path, O_RDONLY | O_CLOEXEC) }
    }

    static func closeFile(_ descriptor: Int32) { _ = close(descriptor) }

    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) throws(Failure) {
        var written = 0
        while written < bytes.count {
            written += Int(
                try check("write") {
                    Int32(
                        truncatingIfNeeded: bytes.withUnsafeBytes { bytes in
                            write(
                                descriptor, bytes.baseAddress?.advanced(by: written),
                                min(bytes.count - written, 1 << 30))
                        })
                })
        }
    }

    /// Returns when the bytes of the file, or the names of the folder, are on the disk.
    static func synchronize(_ descriptor: Int32) throws(Failure) { _ = try check("fsync") { fsync(descriptor) } }

    static func synchronizeFolder(_ path: String) throws(Failure) {
        let folder = try openToRead(path)
        defer { closeFile(folder) }
        try synchronize(folder)
    }

    static func renameFile(_ old: String, to new: String) throws(Failure) {
        _ = try check("rename") { rename(old, new) }
    }

    /// Waits until no other process, and no other open file of this one, holds the lock.
    static func lock(_ descriptor: Int32) throws(Failure) { _ = try check("flock") { flock(descriptor, LOCK_EX) } }

    /// With the rights `0700`; does nothing when it is there.
    static func makePrivateFolder(_ path: String) throws(Failure) {
        do {
            _ = try check("mkdir") { mkdir(path, 0o700) }
        } catch {
            guard error.isTaken else { throw error }
        }
    }

    static func setRights(_ rights: mode_t, of path: String) throws(Failure) {
        _ = try check("chmod") { chmod(path, rights) }
    }

    /// Rights of a file; nil when it is not there.
    static func rights(of path: String) -> mode_t? {
        var state = stat()
        guard stat(path, &state) == 0 else { return nil }
        return state.st_mode & 0o7777
    }

    /// Repeats a call that a signal interrupted.
    static func check(_ call: String, _ body: () -> Int32) throws(Failure) -> Int32 {
        while true {
            let result = body()
            if result >= 0 { return result }
            let number = errno
            guard number == EINTR else { throw Failure(call: call, number: number) }
        }
    }
}

extension ClientError {
    /// - Parameter path: of what the call was about.
    init(_ failure: SystemCalls.Failure, _ path: String) {
        self.init(failure.isNoSpace ? .noSpaceHere : .local, "\(path): \(failure.words)")
    }
}
