internal import Glibc
import FundCore

/// The folder of a log's segments.
struct LogFolder: Sendable {
    let path: String
    /// Of new segments; nil for that of the process.
    var owner: FileOwner?

    func path(of number: SegmentNumber) -> String { "\(path)/\(number.fileName)" }

    /// In ascending order. Throws `SpoolError`.
    func segments() throws -> [SegmentNumber] {
        try DiskDirectory.names(in: path).compactMap(SegmentNumber.init(fileName:)).sorted()
    }

    /// A new segment, with a number above all that are there, locked. Its name is not durable yet.
    /// Throws `SpoolError`.
    func makeSegment() throws -> SegmentFile {
        var number = try segments().last.map(\.next) ?? SegmentNumber(1)
        while let next = number {
            if let file = try SegmentFile.make(next, in: self) { return file }
            number = next.next  // another process made it
        }
        throw SpoolError("create another segment in", path, code: EOVERFLOW)
    }

    /// Makes the names of new segments durable.
    func sync() throws(SpoolError) { try DurabilityBarrier.sync(path, flags: O_RDONLY | O_DIRECTORY) }
}
