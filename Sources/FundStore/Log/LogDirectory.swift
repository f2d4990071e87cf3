internal import Glibc
import FundCore

/// The directory of a log's segments.
struct LogDirectory: Sendable {
    let path: String
    /// A directory on the same file system, for large records while they come.
    let temporary: String
    /// Of new segments; nil for that of the process.
    var owner: FileOwner?
    /// The salt of a segment by its row, for one whose beginning is damaged; nil where no row says it.
    var salt: @Sendable (SegmentNumber) -> UInt64? = { _ in nil }
    /// The digest by which commit marks name the store; nil where that is not known.
    var store: ContentDigest?
    /// The folder as it was opened; nil for what only reads.
    var opened: LogFolder?

    /// Throws `logLost` where the folder is not the one that was opened, see `LogFolder`.
    func requireInPlace() throws { try opened?.requireInPlace() }

    func path(of number: SegmentNumber) -> String { "\(path)/\(number.fileName)" }

    /// In ascending order. Throws `SpoolError`.
    func segments() throws -> [SegmentNumber] {
        try DiskDirectory.names(in: path).compactMap(SegmentNumber.init(fileName:)).sorted()
    }

    /// Makes the names of new segments durable.
    func sync() throws(SpoolError) { try DiskFile.syncNames(in: path) }

    /// Makes names in `temporary` durable.
    func syncTemporary() throws(SpoolError) { try DiskFile.syncNames(in: temporary) }

    /// Numbers under which the log has a file that also stands at `path`.
    func numbers(ofSameFileAs path: String) -> [SegmentNumber] {
        var (own, other) = (stat(), stat())
        guard lstat(path, &own) == 0, own.st_nlink > 1, let numbers = try? segments() else { return [] }
        return numbers.filter { number in
            lstat(self.path(of: number), &other) == 0 && other.st_ino == own.st_ino && other.st_dev == own.st_dev
        }
    }
}
