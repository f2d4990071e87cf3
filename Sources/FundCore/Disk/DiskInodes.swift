internal import Glibc

/// The count of files that a file system can hold, which may be used up while bytes are left.
package enum DiskInodes {
    /// Advice for people.
    package static let advice =
        "the disk has no inodes left, that is room for more files: delete files, small ones will do"

    /// Whether the file system on which `path` is can hold no further file. False where it does not count them.
    package static func areUsedUp(at path: String) -> Bool {
        var disk = statvfs()
        return statvfs(path, &disk) == 0 && disk.f_files > 0 && disk.f_favail == 0
    }
}
