internal import Glibc
import FundCore

/// The directory of a log's segments.
struct LogDirectory: Sendable {
    let path: String
    /// A directory on the same file system, for large records while they come.
    let temporary: String
    /// Of new segments; nil for that of the process.
    var owner: FileOwner?

    func path(of number: SegmentNumber) -> String { "\(path)/\(number.fileName)" }

    /// In ascending order. Throws `SpoolError`.
    func segments() throws -> [SegmentNumber] {
        try DiskDirectory.names(in: path).compactMap(SegmentNumber.init(fileName:)).sorted()
    }

    /// Makes the names of new segments durable.
    func sync() throws(SpoolError) { try DiskSync.sync(path, flags: O_RDONLY | O_DIRECTORY) }

    /// Makes names in `temporary` durable.
    func syncTemporary() throws(SpoolError) { try DiskSync.sync(temporary, flags: O_RDONLY | O_DIRECTORY) }

    /// Takes away the name in the log of a file that also has one elsewhere: its record got no row, since its process
    /// was killed.
    func removeName(ofSameFile descriptor: Int32) {
        var (own, other) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, let numbers = try? segments() else { return }
        for number in numbers.reversed() {
            guard lstat(path(of: number), &other) == 0, other.st_ino == own.st_ino, other.st_dev == own.st_dev else {
                continue
            }
            unlink(path(of: number))
        }
    }
}
