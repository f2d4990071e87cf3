internal import Glibc
import FundCore

/// The segments that rows need, and how many of them are missing. Where most are, the folder is probably not that of
/// the log: a disk is not mounted, and what stands there came after that.
struct NeededSegments {
    /// Counter of the segments that were given up for lost.
    private static let lostCounter = "lost_segments"
    /// Count of segments that are looked at before all are: enough to tell most from few.
    private static let sampleSize: Int64 = 32
    /// Condition of segments that rows need, without those whose files were given back to the disk. (A store of before
    /// schema 32 has none of these.)
    private var areNeeded: String {
        get throws {
            let needed = "live_bytes > 0 AND end_offset > \(LogFormat.openingBytes)"
            if case .sqlite = db, try !db.hasTable("segment_object") { return needed }
            return needed + " AND NOT EXISTS (SELECT 1 FROM segment_object WHERE segment_object.number = segment.number"
                + " AND is_alone = 1)"
        }
    }

    let location: StoreLocation
    let db: Database

    /// Number of missing ones and of all, where most are missing; nil otherwise. The missing do not count that were
    /// given up for lost, and those that `verify --repair` may put back: under other names, or in `lost/`. The caller
    /// holds the write lock: no segment goes meanwhile.
    func lost() throws -> (missing: Int, all: Int)? {
        guard try isSampleMissing() else { return nil }
        let (missing, all) = try missing()
        let misplaced = try misplaced(missing)
        let counted = missing.count - misplaced
        guard try Self.areMost(counted, of: all - misplaced, db) else { return nil }
        return (missing.count, all)
    }

    /// Whether so many missing segments are most, without those that were given up for lost.
    static func areMost(_ missing: Int, of all: Int, _ db: Database) throws -> Bool {
        guard missing > all - missing else { return false }
        return try missing - (Counter.value(lostCounter, db) ?? 0) > all - missing
    }

    /// Gives up for lost what is missing now. Gives how many segments that are.
    func giveUp() throws -> Int {
        let missing = try missing().names
        let count = try missing.count - misplaced(missing)
        guard count > 0 else { return 0 }
        try Counter.set(Self.lostCounter, count, db)
        try db.writeAudit(
            .logLoss, of: "log", "\(count) segments are missing and were given up for lost", by: "fundmail")
        return count
    }

    /// Whether most of some are missing, spread over all: no more files are looked at each time a store is opened.
    private func isSampleMissing() throws -> Bool {
        guard let first: Int64 = try db.value("SELECT min(number) FROM segment"),
            let last: Int64 = try db.value("SELECT max(number) FROM segment")
        else { return false }
        var (sample, areNeeded): (Set<SegmentNumber>, String) = ([], try areNeeded)
        for number in stride(from: first, through: last, by: Int((last - first) / Self.sampleSize) + 1) {
            let sql = "SELECT number FROM segment WHERE number >= ? AND \(areNeeded) ORDER BY number LIMIT 1"
            guard let found: SegmentNumber = try db.value(sql, [number]) else { break }
            sample.insert(found)
        }
        return sample.count { !isThere($0.fileName) } * 2 > sample.count
    }

    private func missing() throws -> (names: Set<String>, all: Int) {
        let numbers: [SegmentNumber] = try db.values("SELECT number FROM segment WHERE \(try areNeeded)")
        return (Set(numbers.map(\.fileName).filter { !isThere($0) }), numbers.count)
    }

    /// Whether a segment is there; one that cannot be looked at counts as there.
    private func isThere(_ name: String) -> Bool {
        // The last error may be that of another file.
        errno = 0
        return DiskFile.size(of: "\(location.log)/\(name)") != nil || errno != ENOENT
    }

    /// Count of files that may be one of the missing.
    private func misplaced(_ missing: Set<String>) throws -> Int {
        let numbers: [SegmentNumber] = try db.values("SELECT number FROM segment")
        let known = Set(numbers.map(\.fileName))
        let renamed = StoreGround.segments(in: location.log) { name in
            name.contains(SegmentNumber.suffix) && !known.contains(name)
        }.count
        let inLost = StoreGround.segments(in: location.lost) { name in missing.contains { name.contains($0) } }.count
        return min(missing.count, renamed + inLost)
    }
}
