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

    let folder: LogFolder
    private let state = Mutex(State())

    init(folder: LogFolder) { self.folder = folder }

    /// The record that stands there. Throws `LogDamage` when it is not the record of this content, `SpoolError` when
    /// the disk cannot be read.
    func record(at place: RecordPlace, of digest: ContentDigest) throws -> LogRecord {
        let segment = try segment(place.segment)
        let (first, count) = (LogFormat.headerBytes, Int64(LogFormat.headerBytes + LogFormat.maxOriginBytes))
        let isWhole = place.count <= Self.wholeBytes
        guard place.count >= Int64(first) else { throw damage(.otherRecord, place) }
        let bytes = try segment.bytes(Int(isWhole ? place.count : min(count, place.count)), at: place.offset)
        let found = bytes.withUnsafeBytes { RecordHeader.read($0) }
        guard let (header, state) = found else {
            throw damage(bytes.count < first ? .cutOff : .header, place)
        }
        guard header.offset == place.offset, header.byteCount == place.count, header.mark == segment.mark,
            header.subject.digest == digest
        else { throw damage(.otherRecord, place) }
        guard state == .live else { throw damage(.dead, place) }
        guard !isWhole || Int64(bytes.count) == place.count else { throw damage(.cutOff, place) }
        return LogRecord(header, in: segment, whole: isWhole ? bytes : nil)
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
            let segment = try SegmentFile.read(number, in: folder)
            if state.segments.count >= Self.maxOpenSegments { state.segments.removeFirst() }
            state.segments.append(segment)
            return segment
        }
    }

    private func damage(_ kind: LogDamage.Kind, _ place: RecordPlace) -> LogDamage {
        LogDamage(kind, place.segment, place.offset)
    }
}
