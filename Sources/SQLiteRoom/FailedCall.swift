internal import CSQLite
internal import Glibc
internal import Synchronization

/// Why SQLite could not write or map a file last. Its own codes do not say it: a broken disk, a limit and a full disk
/// are one (`SQLITE_IOERR_WRITE`, `_SHMSIZE`, `_SHMMAP`).
package enum FailedCall {
    private static let code = Atomic<Int32>(0)

    /// Whether the last failure of this process was for lack of room: a full disk, a quota, or a limit on the size of
    /// files. Where two threads fail at the same moment either may be meant.
    package static var wasForLackOfRoom: Bool { isForLackOfRoom(code.load(ordering: .relaxed)) }

    static func isForLackOfRoom(_ code: Int32) -> Bool { [ENOSPC, EDQUOT, EFBIG].contains(code) }

    /// Notes errno(3), which stays as it is.
    static func note() {
        let failure = errno
        code.store(failure, ordering: .relaxed)
        errno = failure
    }

    /// Puts calls that note their failures in the place of SQLite's own. Which of them it makes depends on how it was
    /// built.
    static func install() {
        let write: @convention(c) (Int32, UnsafeRawPointer?, Int) -> Int = { descriptor, bytes, count in
            FailedCall.noted(Glibc.write(descriptor, bytes, count))
        }
        let writeAt: @convention(c) (Int32, UnsafeRawPointer?, Int, off_t) -> Int = {
            descriptor, bytes, count, offset in
            FailedCall.noted(pwrite(descriptor, bytes, count, offset))
        }
        SystemCalls.replace("write", unsafeBitCast(write, to: sqlite3_syscall_ptr.self))
        for name in ["pwrite", "pwrite64"] {
            SystemCalls.replace(name, unsafeBitCast(writeAt, to: sqlite3_syscall_ptr.self))
        }
    }

    private static func noted(_ count: Int) -> Int {
        if count < 0 { note() }
        return count
    }
}
