internal import Glibc

/// Inode, size and time of change of a file: they differ after it was written or replaced.
package struct FileState: Sendable, Equatable {
    private let values: [Int]
    /// Whether it is no folder, pipe or device.
    package let isRegular: Bool

    /// Nil when the file cannot be examined (stat(2)).
    package init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        isRegular = status.st_mode & S_IFMT == S_IFREG
        values = [Int(status.st_ino), Int(status.st_size), status.st_mtim.tv_sec, status.st_mtim.tv_nsec]
    }
}
