internal import Glibc
import FundCore

/// The folder of a log as a process opened it. Another one may come to its path: what lay below it comes up when a disk
/// is unmounted, and a segment that is made there is hidden when the disk is mounted again.
final class LogFolder: Sendable {
    private let path: String
    /// Keeps the folder, so that its number on the disk (inode) is given to no other.
    private let descriptor: Int32

    /// Throws `DiskError`.
    init(_ path: String) throws(DiskError) {
        self.path = path
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw DiskError("open", path) }
    }

    deinit { close(descriptor) }

    /// Throws `logLost` where its path leads elsewhere now, or nowhere. Costs a few microseconds.
    func requireInPlace() throws {
        var (opened, present) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0 else { throw DiskError("look at", path) }
        if stat(path, &present) == 0 {
            if (present.st_dev, present.st_ino) == (opened.st_dev, opened.st_ino) { return }
        } else if ![ENOENT, ENOTDIR, ELOOP].contains(errno) {
            throw DiskError("look at", path)
        }
        throw StoreError(
            .logLost, "use the log",
            "log/ is not the folder any more that was opened: is a disk not mounted? Nothing is written to another "
                + "one. Mount it, or put the link right, and all goes on; if the log was moved, start the program again"
        )
    }
}
