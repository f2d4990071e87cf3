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
    /// the disk cannot be read.
    func record(at location: RecordLocation, of digest: ContentDigest) throws -> LogRecord {
        let segment = try segment(location.segment)
        let head = Int64(LogFormat.headerBytes + LogFormat.maxOriginBytes)
        let isWhole = location.count <= Self.wholeBytes
        let bytes = try segment.bytes(Int(min(location.count, isWhole ? .max : head)), at: location.offset)
        return try record(at: location, of: digest, in: segment, beginning: bytes)
    }

    /// The same of a record that was opened before, if its segment is open still. Reads nothing.
    func record(_ known: KnownRecord) -> LogRecord? {
        let segment = state.withLock { $0.segments.last { $0.number == known.segment } }
        guard let segment, segment.salt == known.header.salt else { return nil }
        return LogRecord(known, in: segment)
    }

    private func record(
        at location: RecordLocation, of digest: ContentDigest, in segment: SegmentFile, beginning bytes: [UInt8]
    ) throws -> LogRecord {
        guard let (header, state) = bytes.withUnsafeBytes({ RecordHeader.read($0) }) else {
            throw damage(bytes.count < LogFormat.headerBytes ? .cutOff : .header, location)
        }
        guard header.offset == location.offset, header.byteCount == location.count, header.salt == segment.salt,
            header.label.digest == digest
        else { throw damage(.otherRecord, location) }
        guard state == .live else { throw damage(.dead, location) }
        let isWhole = location.count <= Self.wholeBytes
        guard !isWhole || Int64(bytes.count) == location.count else { throw damage(.cutOff, location) }
        return LogRecord(KnownRecord(header, in: segment.number), in: segment, whole: isWhole ? bytes : nil)
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
            } catch let damage as LogDamage where damage.isMissingSegment {
                try directory.requireInPlace()
                throw damage
