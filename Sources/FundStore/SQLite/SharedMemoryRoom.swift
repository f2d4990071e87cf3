internal import CSQLite
internal import Glibc

/// Room on the disk for the file that processes share beside a database (`-shm`), before SQLite maps it.
///
/// SQLite makes the file longer by one byte in each page of 4 KiB. A file system with smaller blocks gives room for
/// that block alone, and the kernel ends the process (SIGBUS) that writes into the rest of the page on a disk that is
/// full by then. So mmap(2) takes the room first, and fails where there is none.
enum SharedMemoryRoom {
    private typealias Map =
        @convention(c) (
            UnsafeMutableRawPointer?, Int, Int32, Int32, Int32, off_t
        ) -> UnsafeMutableRawPointer?

    /// Puts a call that takes the room in the place of SQLite's own (https://sqlite.org/c3ref/vfs.html,
    /// xSetSystemCall), for the whole process. To be called before a database is opened.
    static func install() {
        guard let system = sqlite3_vfs_find(nil), let set = system.pointee.xSetSystemCall else { return }
        let map: Map = { address, count, protection, flags, descriptor, offset in
            if protection & PROT_WRITE != 0, !LinuxFile.takeRoom(descriptor, at: Int64(offset), count: Int64(count)),
                [ENOSPC, EDQUOT].contains(errno)
            {
                return MAP_FAILED
            }
            return mmap(address, count, protection, flags, descriptor, offset)
        }
        _ = set(system, "mmap", unsafeBitCast(map, to: sqlite3_syscall_ptr.self))
    }
}
