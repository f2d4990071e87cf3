internal import Glibc
import FundCore

/// The directory of a log's segments, one file each.
struct LogDirectory: Sendable {
    let path: String
    /// Directory on the same file system, for large records while they come.
    let temporary: String
    /// Owner of new segments; nil for that of the process.
    var owner: FileOwner?
    /// The salt of a segment by its row, for one whose beginning is damaged; nil where no row says it.
    var salt: @Sendable (SegmentNumber) -> UInt64? = { _ in nil }
    /// The digest by which commit marks name the store; nil where that is not known.
    var store: ContentDigest?
    /// The folder as it was opened; nil for what only reads.
    var opened: LogFolder?

    func path(of number: SegmentNumber) -> String { "\(path)/\(number.fileName)" }

    /// Makes the names of new segments durable.
    func sync() throws(DiskError) { try DiskFile.syncNames(in: path) }

    /// Numbers under which the log has a file that also stands at `path`.
    func numbers(ofSameFileAs path: String) -> [SegmentNumber] {
        var (own, other) = (stat(), stat())
        guard lstat(path, &own) == 0, own.st_nlink > 1, let numbers = try? segments() else { return [] }
        return numbers.filter { number in
            lstat(self.path(of: number), &other) == 0 && other.st_ino == own.st_ino && other.st_dev == own.st_dev
        }
    }
}

extension LogDirectory {
    /// The log of a store, or of a backup of one, for reading.
    init(of store: StoreLocation) { self.init(path: store.log, temporary: store.temporary) }
}

extension LogDirectory: SegmentStore {
    func segments() throws -> [SegmentNumber] {
        try DiskDirectory.names(in: path).compactMap(SegmentNumber.init(fileName:)).sorted()
    }

    func read(_ number: SegmentNumber) throws -> any SegmentReader { try SegmentFile.read(number, in: self) }

    func hold(_ number: SegmentNumber, for purpose: SegmentPurpose) throws -> (any HeldSegment)? {
        do { return try SegmentFile.takeOver(number, in: self, isToGo: purpose == .removal) } catch let damage
            as LogDamage
            where purpose == .removal
        {
            // Nothing is missing in a folder that is not the log's.
            try requireInPlace()
            guard damage.kind == .opening else { throw damage }
            return try SegmentFile.takeOverBare(number, in: self)
        }
    }

    func giveUp(
        _ records: [(location: RecordLocation, digest: ContentDigest)], in number: SegmentNumber
    ) throws -> [RecordLocation] {
        try SegmentFile.write(number, in: self).giveUp(records)
    }

    func storedBytes(of number: SegmentNumber) -> Int64 { DiskFile.diskBytes(of: path(of: number)) }

    func requireInPlace() throws { try opened?.requireInPlace() }
}
