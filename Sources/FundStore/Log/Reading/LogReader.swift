internal import Glibc
import FundCore
internal import Synchronization

/// Reads records of the log. Bytes are checked against their checksum before they are given. For any thread.
final class LogReader: Sendable {
    /// Upper bound for open descriptors; the one that was not used for longest is closed.
    private static let maxOpenSegments = 64
    /// A record up to this size is read and checked in one go.
    private static let wholeBytes: Int64 = 256 << 10

    private struct State {
        /// Open segments, the latest used last.
        var open: [(number: SegmentNumber, segment: any SegmentReader)] = []
    }

    private let segments: any SegmentStore
    private let state = Mutex(State())

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
        let segment = state.withLock { $0.open.last { $0.number == known.segment }?.segment }
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
    func forget(_ number: SegmentNumber) { state.withLock { $0.open.removeAll { $0.number == number } } }

    private func segment(_ number: SegmentNumber) throws -> any SegmentReader {
        try state.withLock { state in
            if let index = state.open.lastIndex(where: { $0.number == number }) {
                let entry = state.open.remove(at: index)
                state.open.append(entry)
                return entry.segment
            }
            let segment: any SegmentReader
            do { segment = try segments.read(number) } catch let error as DiskError {
                guard [EMFILE, ENFILE].contains(error.code), !state.open.isEmpty else { throw error }
                state.open = []
                segment = try segments.read(number)
            } catch let damage as LogDamage where damage.isMissingSegment {
                try segments.requireInPlace()
                throw damage
            }
            if state.open.count >= Self.maxOpenSegments { state.open.removeFirst() }
            state.open.append((number, segment))
            return segment
        }
    }

    private func damage(_ kind: LogDamage.Kind, _ location: RecordLocation) -> LogDamage {
        LogDamage(kind, location.segment, location.offset)
    }
}
