internal import Glibc
import FundCore
internal import Synchronization

/// Reads records of the log. Bytes are checked against their checksum before they are given. For any thread.
final class LogReader: Sendable {
    /// A record up to this size is read and checked in one go.
    private static let wholeBytes: Int64 = 256 << 10

    private let segments: any SegmentStore
    private let opened = Mutex(OpenSegments<SegmentNumber, any SegmentReader>())

    init(_ segments: any SegmentStore) { self.segments = segments }

    /// The record that stands there. Throws `LogDamage` when it is not the record of this content, `DiskError` when
    /// the disk cannot be read, `logLost` where the log's folder is gone.
    ///
    /// - Parameter isNeeded: a row has just said so. Then it is given also when it says that it was given up: its bytes
    ///   are checked as always, and those that were given back do not pass.
    func record(at location: RecordLocation, of digest: ContentDigest, isNeeded: Bool = false) throws -> LogRecord {
        let isWhole = location.count <= Self.wholeBytes
        let (record, bytes) = try open(location, of: digest, readsAll: isWhole)
        guard isNeeded || record.state != .dead else { throw damage(.dead, location) }
        guard isWhole else { return record }
        guard Int64(bytes.count) == location.count else { throw damage(.cutOff, location) }
        return LogRecord(record.known, in: record.segment, record.state, whole: bytes)
    }

    /// Looks at the header alone of a record that is needed. Throws `LogDamage` when it does not say so, or the segment
    /// ends before the record does, and as `record`.
    func checkHead(at location: RecordLocation, of digest: ContentDigest) throws {
        let (record, _) = try open(location, of: digest, readsAll: false)
        switch record.state {
        case .live: break
        case .dead: throw damage(.dead, location)
        case .changed: throw damage(.state, location)
        }
        guard try record.segment.size() >= location.end else { throw damage(.cutOff, location) }
    }

    /// Gives a record that was opened before, if its segment is open still. Reads nothing.
    func record(_ known: KnownRecord) -> LogRecord? {
        let segment = opened.withLock { $0[known.segment] }
        guard let segment, segment.salt == known.header.salt else { return nil }
        return LogRecord(known, in: segment)
    }

    /// Opens a record in whatever state, and gives it with its first bytes.
    private func open(
        _ location: RecordLocation, of digest: ContentDigest, readsAll: Bool
    ) throws -> (LogRecord, bytes: [UInt8]) {
        let segment = try segment(location.segment)
        let head = Int64(LogFormat.headerBytes + LogFormat.maxOriginBytes)
        let bytes = try segment.bytes(Int(min(location.count, readsAll ? .max : head)), at: location.offset)
        guard let (header, state) = bytes.withUnsafeBytes({ RecordHeader.read($0) }) else {
            throw damage(bytes.count < LogFormat.headerBytes ? .cutOff : .header, location)
        }
        guard header.offset == location.offset, header.byteCount == location.count, header.salt == segment.salt,
            header.label.digest == digest
        else { throw damage(.otherRecord, location) }
        return (LogRecord(KnownRecord(header, in: segment.number), in: segment, state), bytes)
    }

    /// Closes the descriptor of a segment that was removed.
    func forget(_ number: SegmentNumber) { opened.withLock { $0.close(number) } }

    private func segment(_ number: SegmentNumber) throws -> any SegmentReader {
        try opened.withLock { opened in
            try opened.use(number) { opened in
                do { return try segments.read(number) } catch let error as DiskError {
                    guard [EMFILE, ENFILE].contains(error.code), !opened.isEmpty else { throw error }
                    opened.closeAll()
                    return try segments.read(number)
                } catch let damage as LogDamage where damage.isMissingSegment {
                    try segments.requireInPlace()
                    throw damage
                }
            }
        }
    }

    private func damage(_ kind: LogDamage.Kind, _ location: RecordLocation) -> LogDamage {
        LogDamage(kind, location.segment, location.offset)
    }
}
