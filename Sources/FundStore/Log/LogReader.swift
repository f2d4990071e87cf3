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
        /// Latest used last.
        var segments: [SegmentFile] = []
    }

    let directory: LogDirectory
    private let state = Mutex(State())

    init(directory: LogDirectory) { self.directory = directory }

    /// The record that stands there. Throws `LogDamage` when it is not the record of this content, `SpoolError` when
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

    /// The same of a record that was opened before, if its segment is open still. Reads nothing.
    func record(_ known: KnownRecord) -> LogRecord? {
        let segment = state.withLock { $0.segments.last { $0.number == known.segment } }
        guard let segment, segment.salt == known.header.salt else { return nil }
        return LogRecord(known, in: segment)
    }

    /// A record in whatever state, with its first bytes.
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
    func forget(_ number: SegmentNumber) { state.withLock { $0.segments.removeAll { $0.number == number } } }

    private func segment(_ number: SegmentNumber) throws -> SegmentFile {
        try state.withLock { state in
            if let index = state.segments.lastIndex(where: { $0.number == number }) {
                let segment = state.segments.remove(at: index)
                state.segments.append(segment)
                return segment
            }
            let segment: SegmentFile
            do { segment = try SegmentFile.read(number, in: directory) } catch let error as SpoolError {
                guard [EMFILE, ENFILE].contains(error.code), !state.segments.isEmpty else { throw error }
                state.segments = []
                segment = try SegmentFile.read(number, in: directory)
            } catch let damage as LogDamage where damage.isMissingSegment {
                try directory.requireInPlace()
                throw damage
            }
            if state.segments.count >= Self.maxOpenSegments { state.segments.removeFirst() }
            state.segments.append(segment)
            return segment
        }
    }

    private func damage(_ kind: LogDamage.Kind, _ location: RecordLocation) -> LogDamage {
        LogDamage(kind, location.segment, location.offset)
    }
}
