import CLinux

/// Calls of Linux for files with holes and for what is in memory. In a file of its own: where a file imports both
/// CLinux and Glibc, the compiler may take `stat` for a type of either.
enum LinuxFile {
    /// Gives bytes back to the disk, which then read as zeros (fallocate(2)). False with errno(3) where it cannot.
    static func punchHole(_ descriptor: Int32, at offset: Int64, count: Int64) -> Bool {
        fundmail_punch_hole(descriptor, off_t(offset), off_t(count)) == 0
    }

    /// Where the next bytes stand that are no hole (lseek(2), SEEK_DATA); negative with errno(3) where there are none.
    static func nextData(_ descriptor: Int32, from offset: Int64) -> Int64 {
        Int64(fundmail_seek_data(descriptor, off_t(offset)))
    }

    /// Where the next hole begins, the end of the file at the latest (SEEK_HOLE); negative with errno(3).
    static func nextHole(_ descriptor: Int32, from offset: Int64) -> Int64 {
        Int64(fundmail_seek_hole(descriptor, off_t(offset)))
    }

    /// Reads what the kernel has in memory. Returns how many bytes came; negative where it would have to wait.
    static func readFromMemory(_ buffer: UnsafeMutableRawBufferPointer, _ descriptor: Int32, at offset: Int64) -> Int {
        fundmail_read_from_memory(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
    }
}
