internal import CLinux
internal import Foundation

/// The kernel's cache of files in memory.
package enum PageCache {
    /// Makes it let go of a file, so that the next read is one of the disk. False where it does not: on a file system
    /// that is in memory alone, and while something uses the bytes.
    package static func letGo(of path: String) -> Bool {
        guard let file = FileHandle(forUpdatingAtPath: path), let size = try? file.seekToEnd() else { return false }
        defer { try? file.close() }
        let descriptor = file.fileDescriptor
        guard fdatasync(descriptor) == 0, fundmail_let_go(descriptor, 0, 0) == 0 else { return false }
        return fundmail_pages_in_memory(descriptor, 0, off_t(size)) == 0
    }
}
