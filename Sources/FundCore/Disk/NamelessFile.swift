internal import Glibc

/// A file on a disk that no folder names: it is gone when its last descriptor is closed, however the process ends.
package enum NamelessFile {
    /// Prefix of the name on file systems that must have one for a moment. A sweep may remove such a name at any time:
    /// no process opens the file by it.
    package static let namePrefix = "nameless"

    /// To write and read, closed on exec. Throws `DiskError`.
    package static func open(in folder: String) throws(DiskError) -> Int32 {
        // O_TMPFILE of open(2): the bit of its own, and that of a folder. A name that is removed at once would stay
        // where the process is killed in between.
        let descriptor = Glibc.open(folder, O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20_000_000, 0o600)
        if descriptor >= 0 { return descriptor }
        // NFS and some overlays have no such files (EOPNOTSUPP), old kernels take it for a folder to be written.
        guard [EOPNOTSUPP, EISDIR, EINVAL].contains(errno) else { throw DiskError("create a file in", folder) }
        return try openWithName(in: folder)
    }

    static func openWithName(in folder: String) throws(DiskError) -> Int32 {
        let path = "\(folder)/\(DiskDirectory.uniqueName(prefix: namePrefix))"
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw DiskError("create", path) }
        unlink(path)
        return descriptor
    }
}
