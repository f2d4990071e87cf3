internal import Glibc
import FundCore

enum DiskSync {
    /// fsync(2) of a file or, with `O_DIRECTORY`, of the names in a directory.
    static func sync(_ path: String, flags: Int32 = O_RDONLY) throws(SpoolError) {
        let file = open(path, flags | O_CLOEXEC, 0)
        guard file >= 0 else { throw SpoolError("open", path) }
        defer { close(file) }
        guard fsync(file) == 0 else { throw SpoolError("sync", path) }
    }
}
