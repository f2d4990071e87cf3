import CLinux

/// Calls of Linux for files with holes and for what is in memory. In a file of its own: where a file imports both
/// CLinux and Glibc, the compiler may take `stat` for a type of either.
enum LinuxFile {
    /// Gives bytes back to the disk, which then read as zeros (fallocate(2)). False with errno(3) where it cannot.
    static func punchHole(_ descriptor: Int32, at offset: Int64, count: Int64) -> Bool {
        fundmail_punch_hole(descriptor, off_t(offset), off_t(count)) == 0
    }

    /// Takes room on the disk for bytes that may stand behind the end of the file, whose size stays (fallocate(2)).
    /// False with errno(3) where it cannot.
    static func takeRoom(_ descriptor: Int32, at offset: Int64, count: Int64) -> Bool {
        fundmail_take_room(descriptor, off_t(offset), off_t(count)) == 0
    }

    /// Has the kernel begin to write bytes to the disk (sync_file_range(2)). This makes none of them durable.
    static func startWriting(_ descriptor: Int32, at offset: Int64, count: Int64) {
        _ = fundmail_start_writing(descriptor, off_t(offset), off_t(count))
    }

    /// Offset of the next bytes that are no hole (lseek(2), SEEK_DATA); negative with errno(3) where there are none.
    static func nextData(_ descriptor: Int32, from offset: Int64) -> Int64 {
        Int64(fundmail_seek_data(descriptor, off_t(offset)))
    }

    /// Offset of the next hole, the end of the file at the latest (SEEK_HOLE); negative with errno(3).
    static func nextHole(_ descriptor: Int32, from offset: Int64) -> Int64 {
        Int64(fundmail_seek_hole(descriptor, off_t(offset)))
    }

    /// Reads what the kernel has in memory. Returns how many bytes came; negative where it would have to wait.
    static func readFromMemory(_ buffer: UnsafeMutableRawBufferPointer, _ descriptor: Int32, at offset: Int64) -> Int {
        fundmail_read_from_memory(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }

    /// Whether the kernel has all of these bytes in memory, as it was a moment ago. False where it cannot say.
    static func isInMemory(_ descriptor: Int32, at offset: Int64, count: Int) -> Bool {
        guard count > 0 else { return true }
        let pages = (offset + Int64(count) - 1) / pageBytes - offset / pageBytes + 1
        return fundmail_pages_in_memory(descriptor, off_t(offset), off_t(count)) == pages
    }

    /// Drops the kernel's copy of these bytes from memory. False when some of it stays: it is on its way to a disk or
    /// through a socket. True where the kernel does not tell: then `isInMemory` is false, too, and no process
    /// sends from there.
    static func leaveMemory(_ descriptor: Int32, at offset: Int64, count: Int64) -> Bool {
        guard count > 0 else { return true }
        // A part that it holds together lies within the bytes of a large page, at a multiple of them.
        let start = offset / largePageBytes * largePageBytes
        let end = (offset + count + largePageBytes - 1) / largePageBytes * largePageBytes
        _ = fundmail_let_go(descriptor, off_t(start), off_t(end - start))
        return fundmail_pages_in_memory(descriptor, off_t(offset), off_t(count)) <= 0
    }

    /// Whether the file is in memory alone, as one of tmpfs(5) is.
    static func hasNoDisk(_ descriptor: Int32) -> Bool { fundmail_has_no_disk(descriptor) != 0 }

    private static let pageBytes = Int64(sysconf(Int32(_SC_PAGESIZE)))
    /// Upper bound for what Linux holds together of a file.
    private static let largePageBytes: Int64 = 2 << 20

    enum ByteLock { case shared, exclusive, none }

    /// Locks bytes for all that this open file stands for, until it is closed; false when another open file, of this or
    /// another process, has a lock that forbids it (F_OFD_SETLK, fcntl(2)). Does not wait. On a file system without
    /// such locks a shared one is never given and an exclusive one always.
    static func lock(_ kind: ByteLock, _ descriptor: Int32, at offset: Int64, count: Int64) -> Bool {
        let word =
            switch kind {
            case .shared: F_RDLCK
            case .exclusive: F_WRLCK
            case .none: F_UNLCK
            }
        let code = fundmail_lock_bytes(descriptor, Int16(word), off_t(offset), off_t(count))
        return code == 0 || kind == .exclusive && ![EAGAIN, EACCES].contains(code)
    }
}
