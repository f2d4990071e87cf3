internal import Glibc
import FundCore

/// Compares what a backup keeps of a segment with the store's, record by record, and copies anew what is damaged in the
/// backup alone. It writes over nothing that is whole there.
struct SegmentMend {
    let number: SegmentNumber
    /// The segment in the store.
    let original: any SegmentReader
    /// Directory of the backup's segments.
    let directory: LogDirectory
    /// End of the bytes that the backup keeps.
    let end: Int64
    /// Whether blocks are compared with their checksums, and not headers alone.
    let isDeep: Bool
    /// Records that were copied anew, and the segment's first bytes.
    private(set) var mended = 0
    /// Records that are whole in neither.
    private(set) var lost = 0
    /// Offsets of records of the backup that say as they should that they are needed: their headers were compared, and
    /// their blocks where that was asked for.
    private(set) var whole: Set<Int64> = []

    /// Compares, and mends. False where nothing of the backup's file can be read: all of it has to be copied anew.
    mutating func run() throws -> Bool {
        guard let copy = try copy() else { return false }
        let path = directory.path(of: number)
        let descriptor = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { throw DiskError("open", path) }
        defer { close(descriptor) }
        var mend = SegmentCopy(of: original)
        if copy.hasDamagedOpening, !original.hasDamagedOpening {
            try mend.write(0..<Int64(LogFormat.openingBytes), to: descriptor, path, hasOtherBytes: true)
            mended += 1
        }
        let copied = try Self.records(of: copy, upTo: end)
        var scan = try LogScan(original, from: 0, upTo: end)
        try scan.forEachRecord { record, state in
            // Records that the store has given up may stand in the backup for a state before, and are not compared.
            guard state != .dead else { return }
            let header = record.header
            // One that does not say in the store either that it is needed is left as it is.
            if let found = copied[header.offset], found.header == header, found.state == .live || state != .live {
                if try !isDeep || found.isWhole() {
                    if found.state == .live { whole.insert(header.offset) }
                    return
                }
            }
            guard try record.isWhole() else {
                if isDeep || copied[header.offset] == nil { lost += 1 }
                return
            }
            try mend.write(header.offset..<header.end, to: descriptor, path, hasOtherBytes: true)
            if state == .live { whole.insert(header.offset) }
            mended += 1
        }
        if !isDeep {
            // The backup may have whole what is damaged in the store.
            whole.formUnion(copied.values.filter { $0.state == .live }.map(\.header.offset))
        }
        guard mended == 0 || fdatasync(descriptor) == 0 else { throw DiskError("sync", path) }
        return true
    }

    /// The segment in the backup; nil for one that is damaged from its beginning to its end, or another one.
    private func copy() throws -> (any SegmentReader)? {
        do {
            let copy = try directory.read(number)
            return copy.salt == original.salt ? copy : nil
        } catch is LogDamage { return nil }
    }

    /// Records that are not given up, by their offsets.
    private static func records(of segment: any SegmentReader, upTo end: Int64) throws -> [Int64: LogRecord] {
        var scan = try LogScan(segment, from: 0, upTo: end)
        var records: [Int64: LogRecord] = [:]
        try scan.forEachRecord { record, state in if state != .dead { records[record.header.offset] = record } }
        return records
    }
}
