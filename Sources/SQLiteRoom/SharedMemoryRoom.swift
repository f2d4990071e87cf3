internal import CLinux
internal import CSQLite
internal import Glibc

/// Room on the disk for the file that processes share beside a database (`-shm`), before SQLite maps it.
///
/// SQLite makes the file longer by one byte in each page of 4 KiB. A file system with smaller blocks gives room for
/// that block alone, and the kernel ends the process (SIGBUS) that writes into the rest of the page on a disk that is
/// full by then. So mmap(2) takes the room first, and fails where there is none.
package enum SharedMemoryRoom {
    private typealias Map =
        @convention(c) (
            UnsafeMutableRawPointer?, Int, Int32, Int32, Int32, off_t
        ) -> UnsafeMutableRawPointer?

    /// Puts a call that takes the room in the place of SQLite's own (https://sqlite.org/c3ref/vfs.html,
    /// xSetSystemCall), for the whole process, once. To be called before a database is opened.
    package static func install() { isInstalled }

    private static let isInstalled: Void = {
        let map: Map = { address, count, protection, flags, descriptor, offset in
            // FALLOC_FL_KEEP_SIZE: SQLite has set the size.
            let needsRoom = protection & PROT_WRITE != 0
            if needsRoom, fundmail_take_room(descriptor, offset, off_t(count)) != 0, FailedCall.isForLackOfRoom(errno) {
                FailedCall.note()
                return MAP_FAILED
            }
            let mapped = mmap(address, count, protection, flags, descriptor, offset)
            if mapped == MAP_FAILED { FailedCall.note() }
            return mapped
        }
        SystemCalls.replace("mmap", unsafeBitCast(map, to: sqlite3_syscall_ptr.self))
        FailedCall.install()
    }()
}

/// The calls of the system that SQLite makes.
enum SystemCalls {
    static func replace(_ name: String, _ call: sqlite3_syscall_ptr) {
        guard let system = sqlite3_vfs_find(nil), let set = system.pointee.xSetSystemCall else { return }
        _ = set(system, name, call)
    }
}
