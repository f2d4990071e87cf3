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
}
