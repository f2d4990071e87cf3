import FundCore
internal import Synchronization

/// Appends records to a segment of the log that no other process appends to. For any thread.
final class LogWriter: Sendable {
    private struct State {
        /// Which is appended to, and its end.
        var segment: SegmentFile?
        var end: Int64 = 0
        /// Written to since the last `sync`, in this order.
        var unsynced: [SegmentFile] = []
        /// The folder has names that may not be durable.
        var hasNewNames = false
        /// Why nothing can be appended any more.
        var failure: SpoolError?
    }

    private let folder: LogFolder
    private let catalog: any SegmentCatalog
    private let segmentBytes: Int64
    private let state = Mutex(State())
    /// One `sync` at a time: none may return while the records of its caller are on their way in another.
    private let syncing = Mutex(())
    private let syncFile: @Sendable (SegmentFile) throws(SpoolError) -> Void

    /// - Parameters:
    ///   - segmentBytes: a segment of this size takes no further record.
    ///   - syncFile: makes a segment durable; another only in tests.
    init(
        folder: LogFolder, catalog: any SegmentCatalog, segmentBytes: Int64 = LogFormat.segmentBytes,
        syncFile: @escaping @Sendable (SegmentFile) throws(SpoolError) -> Void = { file throws(SpoolError) in
            try file.sync()
        }
    ) {
        self.folder = folder
        self.segmentBytes = segmentBytes
        self.catalog = catalog
        self.syncFile = syncFile
    }

    /// Appends a record whose body is `parts`, one after the other. It is not durable before `sync`, and does not count
    /// before a row knows its place: the next process to take the segment over cuts off what no row knows at its end.
    /// The caller keeps what it gets until the transaction has ended. Throws `SpoolError`, and what the catalog throws;
    /// nothing of the record counts then.
    func append(_ subject: RecordHeader.Subject, _ parts: [UnsafeRawBufferPointer]) throws -> AppendedRecord {
        let bodyBytes = parts.reduce(0) { $0 + Int64($1.count) }
        precondition(subject.encoding != .plain || subject.contentBytes == bodyBytes)
        return try state.withLock { state in
            let segment = try open(&state)
            let header = RecordHeader(subject, bodyBytes: bodyBytes, mark: segment.mark, offset: state.end)
            // One write: a copy in memory costs less than a second call.
            var record = header.bytes()
            record.reserveCapacity(Int(header.byteCount))
            for part in parts { record.append(contentsOf: part) }
            record.pad()
            let checks = record.withUnsafeBytes { bytes in
                let body = UnsafeRawBufferPointer(rebasing: bytes[Int(header.headBytes)...])
                return (0..<header.blockCount).map { index in
                    let block = header.block(index)
                    return header.checksum(
                        ofBlock: index,
                        UnsafeRawBufferPointer(rebasing: body[Int(block.lowerBound)..<Int(block.upperBound)]))
                }
            }
            for check in checks { record.append(integer: check) }
            do {
                try segment.write(record, at: state.end)
            } catch {
                // What came of it must not stand behind a shorter record that follows.
                if (try? segment.cut(to: state.end)) == nil { state.segment = nil }
                throw error
            }
            state.end += Int64(record.count)
            if state.unsynced.last !== segment { state.unsynced.append(segment) }
            return AppendedRecord(place: header.place(in: segment.number), segment: segment)
        }
    }

    /// Makes all records durable that were appended before. After it has thrown, `append` and `sync` throw the same
    /// `SpoolError` for ever, and what was appended since the `sync` before must be appended anew by another writer:
    /// the kernel drops pages that it could not write (fsync(2), NOTES).
    func sync() throws {
        try syncing.withLock { _ in
            let (segments, hasNewNames, failure) = state.withLock { state in
                defer { (state.unsynced, state.hasNewNames) = ([], false) }
                return (state.unsynced, state.hasNewNames, state.failure)
            }
            if let failure { throw failure }
            do throws(SpoolError) {
                for segment in segments { try syncFile(segment) }
                if hasNewNames { try folder.sync() }
            } catch {
                state.withLock { $0.failure = error }
                throw error
            }
        }
    }

    /// The segment to append to: the present one until it is full, then one that no process holds, then a new one.
    private func open(_ state: inout State) throws -> SegmentFile {
        if let failure = state.failure { throw failure }
        if let segment = state.segment, state.end < segmentBytes { return segment }
        state.segment = nil
        if let (segment, end) = try takeOver() {
            (state.segment, state.end) = (segment, end)
            // The process that made it may have ended before its name was durable.
            state.hasNewNames = state.hasNewNames || end == Int64(LogFormat.openingBytes)
            return segment
        }
        let segment = try make()
        (state.segment, state.end) = (segment, Int64(LogFormat.openingBytes))
        state.hasNewNames = true
        return segment
    }

    private func make() throws -> SegmentFile {
        while true {
            // A log that is older than its database may have the number.
            if let segment = try SegmentFile.make(try catalog.add(), in: folder) { return segment }
        }
    }

    /// A segment that is held by another process, damaged or unreadable is passed over.
    private func takeOver() throws -> (SegmentFile, end: Int64)? {
        for number in try catalog.open() {
            guard let file = try? SegmentFile.takeOver(number, in: folder), let end = try catalog.takeOver(number),
                end >= LogFormat.openingBytes, end % LogFormat.alignment == 0, end < segmentBytes
            else { continue }
            let size = try file.size()
            guard end <= size else { continue }
            // What a process left that was killed before its transaction.
            if size > end { try file.cut(to: end) }
            return (file, end)
        }
        return nil
    }
}

/// A record that has been appended and need not be committed yet. As long as it is kept, no other process takes over
/// the segment that it stands in.
struct AppendedRecord: Sendable {
    let place: RecordPlace
    private let segment: SegmentFile

    init(place: RecordPlace, segment: SegmentFile) {
        self.place = place
        self.segment = segment
    }
}
